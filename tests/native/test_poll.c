/* test_poll.c: loops that poll stop when the user asks, within an interruptible call and in no other. */
#include <signal.h>

#include "check.h"

static volatile sig_atomic_t handled;
static void handle(int number) { handled = number; }

static int spin(int count, int asked_at) {
  int i;
  for (i = 0; i < count; i++) {
    if (i == asked_at) raise(SIGINT);
    MXERR_POLL();
  }
  return 0;
}

static void a_loop_stops_where_it_is_asked(void) {
  mxerr_interruptible(true);
  EXPECT_NUMBER(MXERR_FAILURE, spin(10, 3));
  EXPECT_TEXT("the user asked to stop", message_now());
  EXPECT_NUMBER(MXERR_FAILURE, spin(10, -1)); /* until the call ends */
  EXPECT(mxerr_interruptible(false));
  EXPECT_NUMBER(0, spin(10, -1));
  EXPECT_NUMBER(0, handled);
}

static void nested_calls_are_one(void) {
  mxerr_interruptible(true);
  mxerr_interruptible(true);
  EXPECT_NUMBER(MXERR_FAILURE, spin(10, 3));
  EXPECT(!mxerr_interruptible(false));
  EXPECT_NUMBER(MXERR_FAILURE, spin(10, -1));
  EXPECT(mxerr_interruptible(false));
  EXPECT(!mxerr_interruptible(false)); /* one too many does nothing */
}

static void the_handler_is_put_back(void) {
  mxerr_interruptible(true);
  EXPECT(!mxerr_interruptible(false));
  EXPECT_NUMBER(0, spin(10, 3));
  EXPECT_NUMBER(SIGINT, handled);
}

int main(void) {
  signal(SIGINT, handle);
  RUN(a_loop_stops_where_it_is_asked);
  RUN(nested_calls_are_one);
  RUN(the_handler_is_put_back);
  return checks_end();
}
