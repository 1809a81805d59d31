/* c_api.cpp: the exported functions of the small XLA: they check arguments, and pass the work on. */
#include <algorithm>

#include "executable.h"
#include "handle_table.h"
#include "mxerr/xla_c_api.h"

using namespace xla;
using namespace xla::runtime;

namespace {

/* Never destroyed: Python frees handles until the very end of the process. */
template <typename T>
Table<T> &TableOf(const char *what) {
  static auto *table = new Table<T>(what);
  return *table;
}
Table<Client> &Clients() { return TableOf<Client>("client"); }
Table<Buffer> &Buffers() { return TableOf<Buffer>("buffer"); }
Table<Executable> &Executables() { return TableOf<Executable>("executable"); }

/* Keeps a text for the caller until the thread's next one. */
const char *Keep(std::string text, std::size_t *size = nullptr) {
  static thread_local std::string kept;
  kept = std::move(text);
  if (size != nullptr) *size = kept.size();
  return kept.c_str();
}

std::string Join(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names) text += (text.empty() ? "" : "\n") + name;
  return text;
}

/* What a handle names; FAILED_PRECONDITION where its client was shut down. */
template <typename T>
StatusOr<std::shared_ptr<T>> FindRunning(Table<T> &table, XlaHandle handle) {
  XLA_ASSIGN_OR_RETURN(auto object, table.Find(handle));
  XLA_RETURN_IF_ERROR(object->CheckRunning());
  return object;
}

template <typename... Pointers>
Status CheckPointers(const Pointers *...pointers) {
  if ((... && (pointers != nullptr))) return OkStatus();
  return XlaInvalidArgumentError("an argument is NULL");
}

Status CreateClient(const char *platform, const char *credential, std::uint64_t memory_limit, int exclusive,
                    XlaHandle *out) {
  XLA_RETURN_IF_ERROR(CheckPointers(platform, out));
  XLA_ASSIGN_OR_RETURN(auto client, Client::Create(platform, credential, memory_limit, exclusive != 0));
  *out = Clients().Add(std::move(client));
  return OkStatus();
}

Status Shutdown(XlaHandle handle) {
  XLA_ASSIGN_OR_RETURN(const auto client, Clients().Find(handle));
  client->Shutdown();
  return OkStatus();
}

Status CountDevices(XlaHandle handle, int *out) {
  XLA_RETURN_IF_ERROR(CheckPointers(out));
  XLA_ASSIGN_OR_RETURN(const auto client, FindRunning(Clients(), handle));
  *out = kDevices;
  return OkStatus();
}

Status FindDevice(XlaHandle handle, int index, const char **out) {
  XLA_RETURN_IF_ERROR(CheckPointers(out));
  XLA_ASSIGN_OR_RETURN(const auto client, FindRunning(Clients(), handle));
  *out = Keep(MXERR_CALL(DescribeDevice(index)));
  return OkStatus();
}

Status Register(XlaHandle handle, const char *target, XlaCustomCall call, void *context) {
  XLA_RETURN_IF_ERROR(CheckPointers(target));
  if (call == nullptr) return XlaInvalidArgumentError("the custom call is NULL");
  XLA_ASSIGN_OR_RETURN(const auto client, FindRunning(Clients(), handle));
  return client->RegisterCustomCall(target, [call, context](const float *in, float *out, std::size_t size) {
    return call(context, in, out, size);
  });
}

Status CreateBuffer(XlaHandle handle, int device, const float *data, const int64_t *dims, int ndim,
                    XlaHandle *out) {
  XLA_RETURN_IF_ERROR(CheckPointers(data, out));
  if (ndim < 0 || (ndim > 0 && dims == nullptr)) return XlaInvalidArgumentError("the shape is missing");
  XLA_ASSIGN_OR_RETURN(auto client, FindRunning(Clients(), handle));
  XLA_ASSIGN_OR_RETURN(auto buffer,
                       MXERR_CALL(Buffer::Create(std::move(client), device, Shape(dims, dims + ndim), data)));
  *out = Buffers().Add(std::move(buffer));
  return OkStatus();
}

Status DeleteBuffer(XlaHandle handle) {
  XLA_ASSIGN_OR_RETURN(const auto buffer, Buffers().Find(handle));
  buffer->Delete();
  return OkStatus();
}

Status GetShape(XlaHandle handle, int room, int64_t *dims, int *out_ndim) {
  XLA_RETURN_IF_ERROR(CheckPointers(dims, out_ndim));
  XLA_ASSIGN_OR_RETURN(const auto buffer, FindRunning(Buffers(), handle));
  const Shape &shape = buffer->shape();
  for (std::size_t i = 0; i < shape.size() && static_cast<int>(i) < room; i++) dims[i] = shape[i];
  *out_ndim = static_cast<int>(shape.size());
  return OkStatus();
}

Status CopyToHost(XlaHandle handle, float *out, std::size_t size) {
  XLA_RETURN_IF_ERROR(CheckPointers(out));
  XLA_ASSIGN_OR_RETURN(const auto buffer, FindRunning(Buffers(), handle));
  XLA_ASSIGN_OR_RETURN(const auto data, buffer->Data());
  if (size != data->values.size())
    return XlaInvalidArgumentError("the buffer has %zu elements, not %zu", data->values.size(), size);
  std::copy(data->values.begin(), data->values.end(), out);
  return OkStatus();
}

Status Compile(XlaHandle handle, const char *text, std::size_t size, XlaHandle *out) {
  XLA_RETURN_IF_ERROR(CheckPointers(text, out));
  XLA_ASSIGN_OR_RETURN(auto client, FindRunning(Clients(), handle));
  XLA_ASSIGN_OR_RETURN(auto executable, Executable::Compile(std::move(client), std::string(text, size)));
  *out = Executables().Add(std::move(executable));
  return OkStatus();
}

Status ListExports(XlaHandle handle, const char **out) {
  XLA_RETURN_IF_ERROR(CheckPointers(out));
  XLA_ASSIGN_OR_RETURN(const auto executable, FindRunning(Executables(), handle));
  std::vector<std::string> names;
  for (const auto &[name, function] : executable->program()) names.push_back(name);
  *out = Keep(Join(names));
  return OkStatus();
}

Status Execute(XlaHandle handle, const char *function, int count, const XlaHandle *handles,
               int64_t timeout_us, int donate, XlaHandle *out) {
  XLA_RETURN_IF_ERROR(CheckPointers(function, out));
  if (count < 0 || (count > 0 && handles == nullptr))
    return XlaInvalidArgumentError("the arguments are missing");
  XLA_ASSIGN_OR_RETURN(const auto executable, FindRunning(Executables(), handle));
  std::vector<std::shared_ptr<Buffer>> arguments;
  for (int i = 0; i < count; i++) {
    XLA_ASSIGN_OR_RETURN(auto argument, Buffers().Find(handles[i]));
    arguments.push_back(std::move(argument));
  }
  XLA_ASSIGN_OR_RETURN(auto result,
                       MXERR_CALL(executable->Execute(function, arguments, timeout_us, donate != 0)));
  *out = Buffers().Add(std::move(result));
  return OkStatus();
}

Status Cancel(XlaHandle handle) {
  XLA_ASSIGN_OR_RETURN(const auto executable, Executables().Find(handle));
  executable->Cancel();
  return OkStatus();
}

Status Reset(XlaHandle handle) {
  XLA_ASSIGN_OR_RETURN(const auto executable, FindRunning(Executables(), handle));
  executable->Reset();
  return OkStatus();
}

Status Serialize(XlaHandle handle, const char **out, std::size_t *out_size) {
  XLA_RETURN_IF_ERROR(CheckPointers(out, out_size));
  XLA_ASSIGN_OR_RETURN(const auto executable, FindRunning(Executables(), handle));
  *out = Keep(executable->Serialize(), out_size);
  return OkStatus();
}

Status Deserialize(XlaHandle handle, const char *data, std::size_t size, XlaHandle *out) {
  XLA_RETURN_IF_ERROR(CheckPointers(data, out));
  XLA_ASSIGN_OR_RETURN(auto client, FindRunning(Clients(), handle));
  XLA_ASSIGN_OR_RETURN(auto executable, Executable::Deserialize(std::move(client), std::string(data, size)));
  *out = Executables().Add(std::move(executable));
  return OkStatus();
}

Status GetCost(XlaHandle handle, const char *key, double *out) {
  XLA_RETURN_IF_ERROR(CheckPointers(key, out));
  XLA_ASSIGN_OR_RETURN(const auto executable, FindRunning(Executables(), handle));
  *out = MXERR_CALL(executable->Cost(key));
  return OkStatus();
}

Status ListAttributes(XlaHandle handle, const char **out) {
  XLA_RETURN_IF_ERROR(CheckPointers(out));
  XLA_ASSIGN_OR_RETURN(const auto executable, FindRunning(Executables(), handle));
  *out = Keep(Join(Executable::AttributeNames()));
  return OkStatus();
}

Status GetAttribute(XlaHandle handle, const char *name, XlaAttribute *out) {
  XLA_RETURN_IF_ERROR(CheckPointers(name, out));
  XLA_ASSIGN_OR_RETURN(const auto executable, FindRunning(Executables(), handle));
  const Attribute value = MXERR_CALL(executable->GetAttribute(name));
  if (const std::string *text = std::get_if<std::string>(&value))
    *out = {XLA_TEXT, 0, Keep(*text)};
  else
    *out = {XLA_INT, std::get<std::int64_t>(value), nullptr};
  return OkStatus();
}

Status SetAttribute(XlaHandle handle, const char *name, const XlaAttribute *value) {
  XLA_RETURN_IF_ERROR(CheckPointers(name, value));
  if (value->type != XLA_INT) XLA_RETURN_IF_ERROR(CheckPointers(value->text));
  XLA_ASSIGN_OR_RETURN(const auto executable, FindRunning(Executables(), handle));
  const Attribute typed = value->type == XLA_INT    ? Attribute(value->number)
                          : value->type == XLA_TEXT ? Attribute(std::string(value->text))
                                                    : Attribute(OtherType{value->text});
  MXERR_CALL(executable->SetAttribute(name, typed));
  return OkStatus();
}

}  // namespace

int XlaClientCreate(const char *platform, const char *credential, uint64_t memory_limit, int exclusive,
                    XlaHandle *out) {
  MXERR_API(XLA_GUARD(CreateClient(platform, credential, memory_limit, exclusive, out)));
}
int XlaClientFree(XlaHandle client) { MXERR_API_QUIET(XLA_GUARD(Clients().Free(client))); }
int XlaClientShutdown(XlaHandle client) { MXERR_API(XLA_GUARD(Shutdown(client))); }
int XlaClientDeviceCount(XlaHandle client, int *out) { MXERR_API(XLA_GUARD(CountDevices(client, out))); }
int XlaClientDevice(XlaHandle client, int index, const char **out) {
  MXERR_API(XLA_GUARD(FindDevice(client, index, out)));
}
int XlaCustomCallRegister(XlaHandle client, const char *target, XlaCustomCall call, void *context) {
  MXERR_API(XLA_GUARD(Register(client, target, call, context)));
}

int XlaBufferCreate(XlaHandle client, int device, const float *data, const int64_t *dims, int ndim,
                    XlaHandle *out) {
  MXERR_API(XLA_GUARD(CreateBuffer(client, device, data, dims, ndim, out)));
}
int XlaBufferFree(XlaHandle buffer) { MXERR_API_QUIET(XLA_GUARD(Buffers().Free(buffer))); }
int XlaBufferDelete(XlaHandle buffer) { MXERR_API(XLA_GUARD(DeleteBuffer(buffer))); }
int XlaBufferShape(XlaHandle buffer, int room, int64_t *dims, int *out_ndim) {
  MXERR_API(XLA_GUARD(GetShape(buffer, room, dims, out_ndim)));
}
int XlaBufferToHost(XlaHandle buffer, float *out, size_t size) {
  MXERR_API(XLA_GUARD(CopyToHost(buffer, out, size)));
}

int XlaCompile(XlaHandle client, const char *text, size_t size, XlaHandle *out) {
  MXERR_API(XLA_GUARD(Compile(client, text, size, out)));
}
int XlaExecutableFree(XlaHandle executable) { MXERR_API_QUIET(XLA_GUARD(Executables().Free(executable))); }
int XlaExecutableExports(XlaHandle executable, const char **out) {
  MXERR_API(XLA_GUARD(ListExports(executable, out)));
}
int XlaExecutableExecute(XlaHandle executable, const char *function, int num_arguments,
                         const XlaHandle *arguments, int64_t timeout_us, int donate, XlaHandle *out) {
  MXERR_API(XLA_GUARD(Execute(executable, function, num_arguments, arguments, timeout_us, donate, out)));
}
int XlaExecutableCancel(XlaHandle executable) { MXERR_API(XLA_GUARD(Cancel(executable))); }
int XlaExecutableReset(XlaHandle executable) { MXERR_API(XLA_GUARD(Reset(executable))); }
int XlaExecutableSerialize(XlaHandle executable, const char **out, size_t *out_size) {
  MXERR_API(XLA_GUARD(Serialize(executable, out, out_size)));
}
int XlaDeserialize(XlaHandle client, const char *data, size_t size, XlaHandle *out) {
  MXERR_API(XLA_GUARD(Deserialize(client, data, size, out)));
}
int XlaExecutableCost(XlaHandle executable, const char *key, double *out) {
  MXERR_API(XLA_GUARD(GetCost(executable, key, out)));
}
int XlaExecutableAttributes(XlaHandle executable, const char **out) {
  MXERR_API(XLA_GUARD(ListAttributes(executable, out)));
}
int XlaExecutableGetAttribute(XlaHandle executable, const char *name, XlaAttribute *out) {
  MXERR_API(XLA_GUARD(GetAttribute(executable, name, out)));
}
int XlaExecutableSetAttribute(XlaHandle executable, const char *name, const XlaAttribute *value) {
  MXERR_API(XLA_GUARD(SetAttribute(executable, name, value)));
}
