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
        : m_object(addressOf(callable)), m_call([](void* object, Args... args) -> R {
              auto& target = *reinterpret_cast<std::add_pointer_t<F>>(object);
              if constexpr (std::is_void_v<R>) {
                  target(std::forward<Args>(args)...);
              } else {
                  return target(std::forward<Args>(args)...);
              }
          }) {}

    R operator()(Args... args) const { return m_call(m_object, std::forward<Args>(args)...); }

  private:
    template <class F>
    static void* addressOf(F& callable) {
        if constexpr (std::is_function_v<F>) {
            return reinterpret_cast<void*>(&callable);
        } else {
            return const_cast<void*>(static_cast<const void*>(std::addressof(callable)));
        }
    }

    void* m_object;
    R (*m_call)(void*, Args...);
};

}  // namespace karst
