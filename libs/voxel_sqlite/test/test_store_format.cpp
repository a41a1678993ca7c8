#include "store_worlds.h"

namespace karst::voxel {
namespace {

using namespace test_data;

struct Attack {
    const char* sql;
    std::initializer_list<const char*> parts;
};

class StoreFormat : public testing::Test {
  protected:
    void expectEach(std::initializer_list<Attack> attacks) {
        test::Random random(3);
        Grid grid = newGrid();
        randomEdit(grid, random);
        ASSERT_TRUE(grid.setCell({1, 1, 1}, {13, 7}).ok());
        const auto whole = m_folder.path() / "whole.karst", path = m_folder.path() / "world.karst";
        writeStore(whole, grid);
        for (const Attack& attack : attacks) {
            SCOPED_TRACE(attack.sql);
            std::filesystem::copy_file(whole, path, std::filesystem::copy_options::overwrite_existing);
            runSql(path, attack.sql);
            expectRefused(path, ErrorCode::CorruptData, attack.parts);
        }
    }

    const test::TempFolder m_folder;
};

// A table can be put in place of the real one, without its rules.
constexpr const char* kLooseMaterials =
    "DROP TABLE material; CREATE TABLE material (id, name, kind, color);"
    "INSERT INTO material VALUES (0, 'air', 0, 0), (1, 'rock', 1, 0), (2, 'rock', 1, 0)";

TEST_F(StoreFormat, RefusesAWrongWorldByName) {
    expectEach({
        {"DROP TABLE world", {"world"}},
        {"DELETE FROM world", {"table world is empty"}},
        {"UPDATE world SET chunk_size = 16", {"chunk_size 16", "expected 32"}},
        {"UPDATE world SET chunk_size = 'a'", {"chunk_size"}},
        {"UPDATE world SET cell_size = 0", {"cell_size is 0"}},
        {"UPDATE world SET cell_size = -4", {"cell_size is -4"}},
        {"UPDATE world SET cell_size = 9e999", {"cell_size is inf"}},
        {"UPDATE world SET cell_size = 'wide'", {"cell_size"}},
        {"UPDATE world SET origin_x = x'00'", {"origin_x"}},
        {"UPDATE world SET origin_z = -9e999", {"origin_z is -inf"}},
        {"UPDATE world SET revision = -1", {"revision -1"}},
        {"UPDATE world SET revision = 0.5", {"revision"}},
        {"UPDATE world SET revision = 9223372036854775807", {"revision 9223372036854775807"}},
        {"ALTER TABLE world DROP COLUMN origin_y", {"origin_y"}},
        {"DROP TABLE world; CREATE VIEW world AS SELECT 1 AS id, 32 AS chunk_size, 4.0 AS cell_size, 0.0 AS "
         "origin_x,"
         " 0.0 AS origin_y, 0.0 AS origin_z, 0 AS revision",
         {"world"}},
    });
}

TEST_F(StoreFormat, RefusesWrongMaterialsByName) {
    expectEach({
        {"DROP TABLE material", {"material"}},
        {"DELETE FROM material", {"material", "0 entries"}},
        {"DELETE FROM material WHERE id = 3", {"id 4, expected 3"}},
        {"UPDATE material SET kind = 3 WHERE id = 2", {"material 2", "kind 3"}},
        {"UPDATE material SET kind = 'rock' WHERE id = 2", {"material 2", "kind"}},
        {"UPDATE material SET kind = 0 WHERE id = 2", {"material 2", "kind 0"}},
        {"UPDATE material SET color = 16777216 WHERE id = 5", {"material 5", "color 16777216"}},
        {"UPDATE material SET color = -1 WHERE id = 5", {"material 5", "color -1"}},
        {"UPDATE material SET name = '' WHERE id = 5", {"material 5", "0 bytes"}},
        {"UPDATE material SET name = x'414243' WHERE id = 5", {"material 5", "not a text"}},
        {"UPDATE material SET name = printf('%.*c', 65, 'n') WHERE id = 5", {"material 5", "65 bytes"}},
        {"UPDATE material SET name = printf('%.*c', 5000000, 'n') WHERE id = 5", {"too big"}},
        {kLooseMaterials, {"material 2", "\"rock\" is material 1's"}},
        {"WITH RECURSIVE n(i) AS (SELECT 14 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
         " INSERT INTO material SELECT i, 'm' || i, 1, 0 FROM n",
         {"257 entries"}},
    });
}

// Values that could be right, but are not what was written.
TEST_F(StoreFormat, RefusesDamageThatNoRuleForbids) {
    expectEach({
        {"DELETE FROM material WHERE id = 13", {"table world: wrong checksum"}},
        {"UPDATE material SET color = 5 WHERE id = 5", {"table world: wrong checksum"}},
        {"UPDATE material SET name = 'sand!' WHERE id = 5", {"table world: wrong checksum"}},
        {"UPDATE world SET origin_y = 12", {"table world: wrong checksum"}},
        {"UPDATE world SET checksum = 'none'", {"table world: wrong checksum"}},
    });
}

}  // namespace
}  // namespace karst::voxel
