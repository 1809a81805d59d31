/* test_runtime.cpp: the C API of the small XLA: results, handles, and threads that use one object at once. */
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "expect.hpp"
#include "mxerr/xla_c_api.h"

namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 50;
const char *const kDouble = "ENTRY main { x = f32[2] parameter(0) ROOT y = f32[2] add(x, x) }";
const char *const kWait = "ENTRY main { x = f32[2] parameter(0) ROOT y = f32[2] wait(x), ms=60000 }";
const char *const kCall = "ENTRY main { x = f32[2] parameter(0) ROOT y = f32[2] custom-call(x), target=f }";

/* "Kind: message" of the thread's error, "ok" where there was none. */
std::string text_of(int status) {
  if (status == 0) return "ok";
  const mxerr_record *record = mxerr_record_peek();
  return std::string(mxerr_text(record, record->kind)) + ": " + mxerr_text(record, record->message);
}

XlaHandle make_client(std::uint64_t memory_limit = 0) {
  XlaHandle client = 0;
  EXPECT_IS(text_of(XlaClientCreate("host", nullptr, memory_limit, 0, &client)), "ok");
  return client;
}

XlaHandle compile(XlaHandle client, const char *text) {
  XlaHandle executable = 0;
  EXPECT_IS(text_of(XlaCompile(client, text, std::strlen(text), &executable)), "ok");
  return executable;
}

int fill(XlaHandle client, XlaHandle *out) {
  const float data[] = {1, 2};
  const std::int64_t dims[] = {2};
  return XlaBufferCreate(client, 0, data, dims, 1, out);
}

XlaHandle make_buffer(XlaHandle client) {
  XlaHandle buffer = 0;
  EXPECT_IS(text_of(fill(client, &buffer)), "ok");
  return buffer;
}

/* Makes a buffer of two numbers, runs main on it, and adds up what comes out. */
int run(XlaHandle client, XlaHandle executable, std::int64_t timeout_us = -1, float *sum = nullptr) {
  float result[2] = {};
  XlaHandle in = 0, out = 0;
  int status = fill(client, &in);
  if (status == 0) status = XlaExecutableExecute(executable, "main", 1, &in, timeout_us, 0, &out);
  if (status == 0) status = XlaBufferToHost(out, result, 2);
  if (sum != nullptr) *sum = result[0] + result[1];
  XlaBufferFree(in);
  XlaBufferFree(out);
  return status;
}

template <typename Work>
void in_threads(const Work &work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++) threads.emplace_back(work, i);
  for (std::thread &thread : threads) thread.join();
}

TEST(a_program_computes) {
  const XlaHandle client = make_client(), executable = compile(client, kDouble);
  float sum = 0;
  EXPECT_IS(text_of(run(client, executable, -1, &sum)), "ok");
  EXPECT_IS(sum, 6);
  EXPECT_IS(XlaExecutableFree(executable), 0);
  EXPECT_IS(XlaClientFree(client), 0);
}

TEST(a_handle_that_was_freed_is_known_as_such) {
  const XlaHandle client = make_client();
  int count = 0;
  EXPECT_IS(XlaClientFree(client), 0);
  const std::string text = text_of(XlaClientDeviceCount(client, &count));
  EXPECT_IS(text, "XlaInvalidArgumentError: there is no client with handle " + std::to_string(client) +
                      "; was it freed?");
  EXPECT_IS(XlaClientFree(0), 0);
  EXPECT_IS(XlaClientFree(client), MXERR_FAILURE);
}

TEST(an_object_outlives_the_handle_of_what_it_was_made_by) {
  const XlaHandle client = make_client(), executable = compile(client, kDouble), buffer = make_buffer(client);
  XlaHandle out = 0;
  EXPECT_IS(XlaClientFree(client), 0);
  EXPECT_IS(text_of(XlaExecutableExecute(executable, "main", 1, &buffer, -1, 0, &out)), "ok");
  for (const XlaHandle handle : {buffer, out}) XlaBufferFree(handle);
  XlaExecutableFree(executable);
}

TEST(a_buffer_of_another_client_is_refused) {
  const XlaHandle client = make_client(), other = make_client(), executable = compile(client, kDouble);
  const std::string refused =
      "XlaInvalidArgumentError: argument 0 of 'main': expected a buffer of the client that compiled it, got one of "
      "another client";
  EXPECT_IS(text_of(run(other, executable)), refused);
  const XlaHandle buffer = make_buffer(other);
  XlaHandle out = 0;
  EXPECT_IS(XlaClientShutdown(other), 0);
  EXPECT_IS(text_of(XlaExecutableExecute(executable, "main", 1, &buffer, -1, 0, &out)),
            refused + ", which was shut down");
  EXPECT_IS(out, 0u);
  XlaBufferFree(buffer);
  XlaExecutableFree(executable);
  for (const XlaHandle handle : {client, other}) XlaClientFree(handle);
}

TEST(after_a_shutdown_all_but_ending_fails_and_handles_are_still_freed) {
  const XlaHandle client = make_client(), executable = compile(client, kDouble), buffer = make_buffer(client);
  const std::string ended = "XlaFailedPreconditionError: the client was shut down";
  float data[2] = {};
  std::int64_t dims[1] = {};
  int number = 0;
  XlaHandle out = 0;
  for (int i = 0; i < 2; i++) {
    EXPECT_IS(text_of(XlaClientShutdown(client)), "ok");
    EXPECT_IS(text_of(XlaExecutableCancel(executable)), "ok");
    EXPECT_IS(text_of(XlaClientDeviceCount(client, &number)), ended);
    EXPECT_IS(text_of(XlaBufferToHost(buffer, data, 2)), ended);
    EXPECT_IS(text_of(XlaBufferShape(buffer, 1, dims, &number)), ended);
    EXPECT_IS(text_of(XlaExecutableExecute(executable, "main", 1, &buffer, -1, 0, &out)), ended);
    EXPECT_IS(text_of(XlaExecutableReset(executable)), ended);
  }
  EXPECT_IS(text_of(XlaBufferDelete(buffer)), "ok");
  EXPECT_IS(text_of(XlaBufferDelete(buffer)), "ok");
  EXPECT_IS(XlaBufferFree(buffer) + XlaExecutableFree(executable) + XlaClientFree(client), 0);
}

TEST(threads_share_a_client_and_an_executable) {
  const XlaHandle client = make_client(), executable = compile(client, kDouble);
  std::atomic<int> failed{0};
  in_threads([&](int) {
    for (int i = 0; i < kRounds; i++) {
      float sum = 0;
      failed += run(client, executable, -1, &sum) != 0 || sum != 6;
    }
  });
  EXPECT_IS(failed.load(), 0);
  XlaExecutableFree(executable);
  XlaClientFree(client);
}

TEST(each_thread_has_its_own_error_and_the_limit_holds_for_all) {
  const XlaHandle client = make_client(8), executable = compile(client, kDouble);
  std::atomic<int> wrong{0};
  in_threads([&](int) {
    for (int i = 0; i < kRounds; i++) /* a buffer fits, a result does not */
      wrong += text_of(run(client, executable)).find("XlaResourceExhaustedError: out of memory") != 0;
  });
  EXPECT_IS(wrong.load(), 0);
  XlaExecutableFree(executable);
  XlaClientFree(client);
}

TEST(attributes_are_read_and_written_at_once) {
  const XlaHandle client = make_client(), executable = compile(client, kDouble);
  std::atomic<int> wrong{0};
  in_threads([&](int thread) {
    for (int i = 0; i < kRounds; i++) {
      XlaAttribute level = {XLA_INT, thread % 4, nullptr};
      wrong += XlaExecutableSetAttribute(executable, "optimization_level", &level) != 0;
      wrong += XlaExecutableGetAttribute(executable, "optimization_level", &level) != 0;
      wrong += level.number < 0 || level.number > 3;
    }
  });
  EXPECT_IS(wrong.load(), 0);
  XlaExecutableFree(executable);
  XlaClientFree(client);
}

/* Runs what waits for a minute in threads, ends it from this one, and gives what each run says. */
template <typename End>
std::vector<std::string> ended_by(XlaHandle client, XlaHandle executable, const End &end) {
  std::vector<std::string> texts(kThreads);
  std::thread ending([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    end();
  });
  in_threads([&](int thread) { texts[static_cast<std::size_t>(thread)] = text_of(run(client, executable)); });
  ending.join();
  return texts;
}

TEST(a_run_in_another_thread_is_cancelled_and_may_be_run_again_after_a_reset) {
  const XlaHandle client = make_client(), executable = compile(client, kWait);
  for (const std::string &text : ended_by(client, executable, [&] { XlaExecutableCancel(executable); }))
    EXPECT_IS(text, "XlaCancelledError: execution of 'main' was cancelled");
  EXPECT_IS(XlaExecutableReset(executable), 0);
  EXPECT_IS(text_of(run(client, executable, 1000)),
            "XlaDeadlineExceededError: execution of 'main' took longer than 1 ms");
  XlaExecutableFree(executable);
  XlaClientFree(client);
}

TEST(the_end_of_a_client_ends_what_runs) {
  const XlaHandle client = make_client(), executable = compile(client, kWait);
  int aborted = 0;
  for (const std::string &text : ended_by(client, executable, [&] { XlaClientShutdown(client); })) {
    aborted += text == "XlaAbortedError: execution of 'main' was aborted: the client was shut down";
    /* what had not begun by then */
    aborted += text == "XlaFailedPreconditionError: the client was shut down";
  }
  EXPECT_IS(aborted, kThreads);
  XlaExecutableFree(executable);
  XlaClientFree(client);
}

TEST(a_custom_call_gets_its_context_and_its_failure_is_a_status) {
  const XlaHandle client = make_client(), executable = compile(client, kCall);
  std::atomic<int> calls{0};
  const XlaCustomCall call = [](void *context, const float *in, float *out, std::size_t size) {
    for (std::size_t i = 0; i < size; i++) out[i] = -in[i];
    return ++*static_cast<std::atomic<int> *>(context) > kThreads ? 7 : 0;
  };
  EXPECT_IS(text_of(XlaCustomCallRegister(client, "f", call, &calls)), "ok");
  in_threads([&](int) {
    float sum = 0;
    if (run(client, executable, -1, &sum) != 0 || sum != -3) calls += 100;
  });
  EXPECT_IS(calls.load(), kThreads);
  EXPECT_IS(text_of(run(client, executable)),
            "XlaUnknownError: custom call 'f' failed with status 7, and said no more");
  XlaExecutableFree(executable);
  XlaClientFree(client);
}

}  // namespace

int main() { return run_all(); }
