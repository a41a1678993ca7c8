// A package behind a URL, in the viewer's window; the development server serves it.
#include <csignal>

#include "display_fixture.h"
#include "hills.h"

namespace karst {
namespace {

using test::DrivenViewer;
using test::kLoaded;
using test::Process;

/// karst serve, on a port of its own.
class Served {
  public:
    Served(const std::string& package, const std::filesystem::path& folder, const std::string& port = "0")
        : m_process({KARST_TOOL, "serve", package, "--port", port}, folder / "serve.log") {
        for (int i = 0; i < 400 && m_url.empty() && m_process.running(); ++i) {
            DrivenViewer::rest(0.03);
            const std::string said = m_process.output();
            const std::size_t at = said.find("http://"), end = said.find('\n', at == said.npos ? 0 : at);
            if (at != said.npos && end != said.npos) m_url = said.substr(at, end - at);
        }
    }
    const std::string& url() const { return m_url; }
    std::string port() const {
        const std::size_t colon = m_url.rfind(':');
        return m_url.substr(colon + 1, m_url.find('/', colon) - colon - 1);
    }
    void kill() {
        m_process.signal(SIGKILL);
        m_process.wait(10);
    }

  private:
    Process m_process;
    std::string m_url;
};

class ViewerUrlSlow : public test::DisplayTest {};

TEST_F(ViewerUrlSlow, ShowsWhatTheFileShows) {
    const std::string package = test::buildHills(file("hills.karst"));
    const Served served(package, path());
    ASSERT_FALSE(served.url().empty());
    app::Image pictures[2];
    for (const bool remote : {false, true}) {
        DrivenViewer viewer(display(), path(),
                            {remote ? served.url() : package, "--camera", "640,300,1000", "--look-at",
                             "640,90,640", "--radius", "90"});
        ASSERT_TRUE(viewer.waitFor(kLoaded)) << viewer.output();
        viewer.press("F2");
        viewer.pointAt(10, 10);
        pictures[remote ? 1 : 0] = viewer.shoot().picture;
        viewer.press("ctrl+s");
        ASSERT_TRUE(viewer.waitFor(remote ? "beside a URL: name a file" : "saved 0 craters"))
            << viewer.output();
        EXPECT_EQ(viewer.quit(), 0) << viewer.output();
    }
    EXPECT_FALSE(pictures[0].rgba.empty());
    EXPECT_EQ(difference(pictures[0], pictures[1]), 0);
}

// From high above little is loaded. Then the server goes, and who wants to walk needs the finest tiles.
TEST_F(ViewerUrlSlow, OutlivesItsServer) {
    const std::string package = test::buildHills(file("hills.karst"), 16);
    auto served = std::make_unique<Served>(package, path());
    ASSERT_FALSE(served->url().empty());
    const std::string port = served->port();
    DrivenViewer viewer(display(), path(),
                        {served->url(), "--camera", "640,9000,640", "--look-at", "640,90,630"});
    ASSERT_TRUE(viewer.waitFor(kLoaded)) << viewer.output();
    viewer.press("F2");
    viewer.pointAt(10, 10);
    served->kill();
    viewer.press("f");
    ASSERT_TRUE(viewer.waitFor("could not be loaded")) << viewer.output();
    const auto above = viewer.shoot();
    EXPECT_EQ(above.picture.width, DrivenViewer::kWidth);
    EXPECT_GT(above.camera.y, 8000) << "nobody walks where there is no ground yet";
    EXPECT_EQ(viewer.count("could not be loaded"), 1);

    served = std::make_unique<Served>(package, path(), port);
    ASSERT_FALSE(served->url().empty());
    auto standing = viewer.shoot();
    for (int i = 0; i < 200 && standing.camera.y > 200; ++i)
        standing = viewer.shoot();
    EXPECT_NEAR(standing.camera.y, test::hill(64, 64) + 1.65, 3);
    EXPECT_EQ(viewer.quit(), 0) << viewer.output();
}

TEST_F(ViewerUrlSlow, SaysThatNobodyServes) {
    std::string url;
    {
        Served served(test::buildHills(file("hills.karst")), path());
        url = served.url();
        served.kill();
    }
    DrivenViewer viewer(display(), path(), {url});
    ASSERT_TRUE(viewer.waitFor("hills.karst: ")) << viewer.output();
    EXPECT_TRUE(viewer.waitFor("http")) << viewer.output();
    EXPECT_EQ(viewer.quit(), 0) << viewer.output();
}

}  // namespace
}  // namespace karst
