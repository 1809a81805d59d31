/* test_op_table.c: the operators can be listed, found and described, and keep to the limits of a call. */
#include "arrays.h"
#include "op.h"

static void all_operators_are_listed_in_order(void) {
  const char *const *names = NULL;
  int count = 0;
  EXPECT_NUMBER(0, MXListAllOpNames(&count, &names));
  EXPECT(count >= 3);
  for (int i = 1; i < count; i++) EXPECT(strcmp(names[i - 1], names[i]) < 0); /* mx_op_find relies on it */
}

static void each_one_is_found_and_described(void) {
  const char *const *names = NULL;
  int count = 0;
  EXPECT_NUMBER(0, MXListAllOpNames(&count, &names));
  for (int i = 0; i < count; i++) {
    const MXOpInfo *info = NULL;
    EXPECT_NUMBER(0, MXOpGetInfo(names[i], &info));
    EXPECT_TEXT(names[i], info->name);
    EXPECT(info->doc != NULL && strlen(info->doc) > 0);
    for (int j = 0; j < info->num_inputs; j++) EXPECT(info->input_names[j] != NULL);
    for (int j = 0; j < info->num_params; j++) {
      EXPECT(info->param_names[j] != NULL && info->param_types[j] != NULL && info->param_docs[j] != NULL);
      for (int k = 0; k < j; k++) EXPECT(strcmp(info->param_names[j], info->param_names[k]) != 0);
    }
  }
}

static void each_one_keeps_to_the_limits(void) {
  for (int i = 0; i < mx_num_ops; i++) {
    const mx_op *op = mx_ops[i];
    EXPECT(op->num_inputs >= 0 || op->num_inputs == MX_VARIADIC);
    EXPECT(op->num_params >= 0 && op->num_params <= MX_MAX_PARAMS);
    for (int j = 0; j < op->num_params; j++) EXPECT(op->params[j].offset < op->param_size);
    EXPECT(op->infer_shape != NULL && op->infer_type != NULL && op->forward != NULL);
  }
}

static void what_is_no_operator_is_not_found(void) {
  const char *const names[] = {"", "a", "transpos", "transposed", "zzz", "\xff", "random_normal "};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const MXOpInfo *info = NULL;
    expect_failure(MXOpGetInfo(names[i], &info), "AttributeError", "there is no operator");
    EXPECT_TEXT(names[i], value_of(error_now(), 0, "name"));
    EXPECT(info == NULL);
  }
}

int main(void) {
  RUN(all_operators_are_listed_in_order);
  RUN(each_one_is_found_and_described);
  RUN(each_one_keeps_to_the_limits);
  RUN(what_is_no_operator_is_not_found);
  return checks_end();
}
