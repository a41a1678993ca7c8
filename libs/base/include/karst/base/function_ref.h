#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace karst {

template <class Signature>
class FunctionRef;

/// A reference to something callable: two pointers, no allocation. The callable must outlive the call that
/// takes the reference, so use it for parameters only.
template <class R, class... Args>
class FunctionRef<R(Args...)> {
  public:
    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> && std::is_invocable_r_v<R, F&, Args...>)
        FunctionRef(F&& callable)
        : m_object(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
          m_call([](void* object, Args... args) -> R {
              return (*static_cast<std::add_pointer_t<F>>(object))(std::forward<Args>(args)...);
          }) {}

    R operator()(Args... args) const { return m_call(m_object, std::forward<Args>(args)...); }

  private:
    void* m_object;
    R (*m_call)(void*, Args...);
};

}  // namespace karst
