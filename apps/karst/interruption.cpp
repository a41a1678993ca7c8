#include "interruption.h"

#include <csignal>

namespace karst::tool {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void setHandler(void (*handler)(int), int flags) {
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

// SA_RESETHAND leaves the second signal to the default: whoever asks twice does not want to wait.
void onSignal(int) {
    interrupted.store(true);
}

}  // namespace

Interruption::Interruption() {
    interrupted.store(false);
    setHandler(&onSignal, static_cast<int>(SA_RESTART | SA_RESETHAND));
}

Interruption::~Interruption() {
    setHandler(SIG_DFL, 0);
}

const std::atomic<bool>& Interruption::wanted() {
    return interrupted;
}

}  // namespace karst::tool
