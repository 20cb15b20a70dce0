// SPDX-License-Identifier: MIT
// Stands in for linking with libpq (VBO_LIBPQ_AT_RUN_TIME): each function that we use looks itself
// up in libpq.so.5 when it is first called. libpq brings OpenSSL, Kerberos, LDAP and GnuTLS, which
// a Python wheel cannot carry; a machine that talks to PostgreSQL has them. Nothing but
// libpq_is_here() is called where the library is missing.
#include "storage/postgres/libpq_at_run_time.hpp"

#include <dlfcn.h>
#include <libpq-fe.h>

namespace vbo {
namespace {

void* library() {
  static void* const handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  return handle;
}

template <class Function>
Function function(const char* name) {
  return reinterpret_cast<Function>(dlsym(library(), name));
}

}  // namespace

bool libpq_is_here() { return library() != nullptr; }

}  // namespace vbo

#define VBO_FORWARD(result, name, parameters, arguments)                  \
  extern "C" result name parameters {                                     \
    static const auto found = vbo::function<result(*) parameters>(#name); \
    return found arguments;                                               \
  }

VBO_FORWARD(PGconn*, PQconnectdbParams,
            (const char* const* keywords, const char* const* values, int expand),
            (keywords, values, expand))
VBO_FORWARD(PQconninfoOption*, PQconninfoParse, (const char* text, char** problem), (text, problem))
VBO_FORWARD(void, PQconninfoFree, (PQconninfoOption * options), (options))
VBO_FORWARD(void, PQfinish, (PGconn * connection), (connection))
VBO_FORWARD(ConnStatusType, PQstatus, (const PGconn* connection), (connection))
VBO_FORWARD(char*, PQerrorMessage, (const PGconn* connection), (connection))
VBO_FORWARD(int, PQconnectionNeedsPassword, (const PGconn* connection), (connection))
VBO_FORWARD(int, PQconnectionUsedPassword, (const PGconn* connection), (connection))
VBO_FORWARD(int, PQsocket, (const PGconn* connection), (connection))
VBO_FORWARD(int, PQconsumeInput, (PGconn * connection), (connection))
VBO_FORWARD(PGnotify*, PQnotifies, (PGconn * connection), (connection))
VBO_FORWARD(PQnoticeProcessor, PQsetNoticeProcessor,
            (PGconn * connection, PQnoticeProcessor processor, void* argument),
            (connection, processor, argument))
VBO_FORWARD(PGresult*, PQexec, (PGconn * connection, const char* query), (connection, query))
VBO_FORWARD(PGresult*, PQprepare,
            (PGconn * connection, const char* name, const char* query, int count, const Oid* types),
            (connection, name, query, count, types))
VBO_FORWARD(PGresult*, PQexecPrepared,
            (PGconn * connection, const char* name, int count, const char* const* values,
             const int* lengths, const int* formats, int result_format),
            (connection, name, count, values, lengths, formats, result_format))
VBO_FORWARD(int, PQenterPipelineMode, (PGconn * connection), (connection))
VBO_FORWARD(int, PQexitPipelineMode, (PGconn * connection), (connection))
VBO_FORWARD(int, PQpipelineSync, (PGconn * connection), (connection))
VBO_FORWARD(int, PQsendQueryPrepared,
            (PGconn * connection, const char* name, int count, const char* const* values,
             const int* lengths, const int* formats, int result_format),
            (connection, name, count, values, lengths, formats, result_format))
VBO_FORWARD(PGresult*, PQgetResult, (PGconn * connection), (connection))
VBO_FORWARD(void, PQclear, (PGresult * result), (result))
VBO_FORWARD(ExecStatusType, PQresultStatus, (const PGresult* result), (result))
VBO_FORWARD(char*, PQresultErrorField, (const PGresult* result, int field), (result, field))
VBO_FORWARD(char*, PQcmdTuples, (PGresult * result), (result))
VBO_FORWARD(int, PQntuples, (const PGresult* result), (result))
VBO_FORWARD(char*, PQgetvalue, (const PGresult* result, int row, int column), (result, row, column))
VBO_FORWARD(int, PQgetlength, (const PGresult* result, int row, int column), (result, row, column))
VBO_FORWARD(int, PQgetisnull, (const PGresult* result, int row, int column), (result, row, column))
VBO_FORWARD(unsigned char*, PQunescapeBytea, (const unsigned char* text, size_t* length),
            (text, length))
VBO_FORWARD(void, PQfreemem, (void* memory), (memory))
