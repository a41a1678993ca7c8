#include "ground.h"

namespace karst::viewer {

const char* toolName(Tool tool) {
    switch (tool) {
        case Tool::Look:
            return "Look";
        case Tool::Dig:
            return "Dig";
        case Tool::Fill:
            return "Fill";
        case Tool::Paint:
            return "Paint";
        case Tool::Smooth:
            return "Smooth";
        case Tool::Crater:
            return "Crater";
    }
    return "";
}

}  // namespace karst::viewer
