// How a driver talks to Peel: rank 0 connects back to a socket and exchanges frames; the other ranks get their share from rank 0.
// The frames are described in ../frames.ts.
#pragma once
#include <mpi.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "ranks.hpp"
#include "sha256.hpp"

namespace bridge {

constexpr uint32_t MAGIC = 0x4c454550;
constexpr uint16_t PROTOCOL = 2;
enum Type : uint16_t { HELLO = 1, SOLVE = 2, ECHO = 3, BYE = 4, CANCEL = 5, CHALLENGE = 6, WELCOME = 7, PROGRESS = 16, SOLUTION = 17, ERROR = 18 };

struct Header {
  uint32_t magic;
  uint16_t protocol, type;
  uint32_t id, flags;
  uint64_t length, aux;
};

/** Bytes that rank 0 hands on at a time, so that it never holds the whole problem. */
constexpr uint64_t PIECE = 16 << 20;

inline int rank, ranks;
/** Of rank 0 to the parent. */
inline int parent = -1;

/** Ends all ranks. */
[[noreturn]] inline void giveUp(const char* why) {
  fprintf(stderr, "peel driver, rank %d: %s\n", rank, why);
  MPI_Abort(MPI_COMM_WORLD, 3);
  abort();
}

// ---- words for all ranks

template <class T>
void fromRoot(T& value) {
  MPI_Bcast(&value, sizeof value, MPI_BYTE, 0, MPI_COMM_WORLD);
}

// ---- the socket

/** false at the end of the stream. */
inline bool readExactly(void* into, uint64_t bytes) {
  for (char* at = static_cast<char*>(into); bytes > 0;) {
    const ssize_t count = read(parent, at, std::min<uint64_t>(bytes, 1 << 30));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    bytes -= count;
  }
  return true;
}

inline void readOrGiveUp(void* into, uint64_t bytes) {
  if (!readExactly(into, bytes)) giveUp("Peel went away while it was sending");
}

inline void write(const void* from, uint64_t bytes) {
  for (const char* at = static_cast<const char*>(from); bytes > 0;) {
    const ssize_t count = ::write(parent, at, std::min<uint64_t>(bytes, 1 << 30));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) giveUp("Peel went away");
    at += count;
    bytes -= count;
  }
}

inline void writeHeader(Type type, uint32_t id, uint64_t length) {
  const Header header = {MAGIC, PROTOCOL, type, id, 0, length, 0};
  write(&header, sizeof header);
}

inline std::string quoted(std::string text) {
  for (char& c : text)
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 32) c = ' ';
  return '"' + text + '"';
}

inline void writeText(Type type, uint32_t id, const std::string& json) {
  writeHeader(type, id, json.size());
  write(json.data(), json.size());
}

/** No answer, and why: `code` is for programs, `message` goes on in a sentence. Only rank 0 speaks. */
inline void writeError(uint32_t id, const char* code, const std::string& message) {
  if (rank == 0) writeText(ERROR, id, "{\"code\":" + quoted(code) + ",\"message\":" + quoted(message) + "}");
}

/** One per outer step: what the progress line shows, and the sign of life. */
inline void writeProgress(uint32_t id, double outer, double residual, double pinned, double inner) {
  // An error follows where the residual is no number.
  if (rank != 0 || !std::isfinite(residual)) return;
  const double words[4] = {outer, residual, pinned, inner};
  writeHeader(PROGRESS, id, sizeof words);
  write(words, sizeof words);
}

inline void connectTo(const std::string& address) {
  if (address[0] == '/') {
    sockaddr_un name = {};
    name.sun_family = AF_UNIX;
    if (address.size() >= sizeof name.sun_path) giveUp("the path of the socket is too long");
    memcpy(name.sun_path, address.c_str(), address.size());
    parent = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(parent, reinterpret_cast<sockaddr*>(&name), sizeof name)) giveUp("cannot connect to the socket of Peel");
    return;
  }
  const size_t colon = address.rfind(':');
  addrinfo wish = {}, *found = nullptr;
  wish.ai_socktype = SOCK_STREAM;
  if (colon == std::string::npos || getaddrinfo(address.substr(0, colon).c_str(), address.substr(colon + 1).c_str(), &wish, &found))
    giveUp("cannot find the host that Peel runs on");
  for (addrinfo* at = found; at && parent < 0; at = at->ai_next) {
    parent = socket(at->ai_family, SOCK_STREAM, 0);
    if (connect(parent, at->ai_addr, at->ai_addrlen) == 0) continue;
    close(parent);
    parent = -1;
  }
  freeaddrinfo(found);
  if (parent < 0) giveUp("cannot connect to the host that Peel runs on");
  const int one = 1;
  setsockopt(parent, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

/** Seconds that a driver may go on after its parent has gone. */
constexpr unsigned GRACE = 5;

/** Rank 0 sees the end of its socket when it looks there next. If it waits for a rank that hangs it never does, so a thread looks, too, and
 *  ends the process by force: the launcher then ends all others. Uses nothing of MPI, which need not allow threads. */
inline void watchParent() {
  std::thread([] {
    for (;;) {
      pollfd state = {parent, POLLRDHUP, 0};
      if (poll(&state, 1, -1) < 0 && errno == EINTR) continue;
      if (state.revents) break;
    }
    sleep(GRACE);
    fprintf(stderr, "peel driver: Peel went away, and a rank hangs\n");
    _exit(3);
  }).detach();
}

// ---- proofs, as in ../handshake.ts

/** Seconds that Peel may take for its part of the handshake. */
constexpr int HANDSHAKE = 20;

inline void setReadLimit(int seconds) {
  const timeval limit = {seconds, 0};
  setsockopt(parent, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

/** 32 bytes of a frame of this type. The other end has proved nothing yet, so nothing else is read. */
inline std::string readProof(Type type) {
  Header header;
  char bytes[32];
  if (!readExactly(&header, sizeof header) || header.magic != MAGIC || header.protocol != PROTOCOL || header.type != type ||
      header.length != sizeof bytes || !readExactly(bytes, sizeof bytes))
    giveUp("who listens at the address of Peel does not talk as Peel does");
  return std::string(bytes, sizeof bytes);
}

/** `about` is what the driver says of itself. */
inline void greet(const std::string& about) {
  const char* secret = getenv("PEEL_TOKEN");
  if (!secret || strlen(secret) < 32) giveUp("PEEL_TOKEN is not set here; the launcher must hand it on");
  setReadLimit(HANDSHAKE);
  const std::string challenge = readProof(CHALLENGE);
  std::string nonce(32, 0);
  if (getentropy(&nonce[0], nonce.size())) giveUp("this host has no random numbers");
  const std::string hello = nonce + sha256::text(sha256::hmac(secret, "peel driver" + challenge + nonce + about)) + about;
  writeText(HELLO, 0, hello);
  const std::string answer = readProof(WELCOME);
  sha256::Digest welcome;
  std::copy(answer.begin(), answer.end(), welcome.begin());
  if (!sha256::isSame(welcome, sha256::hmac(secret, "peel parent" + nonce + challenge))) giveUp("who listens at the address of Peel is not Peel");
  setReadLimit(0);
}

/** What this driver was compiled from, so that the parent notices an old one. */
#ifndef PEEL_DRIVER
#define PEEL_DRIVER "unknown"
#endif

/** `library`: name and version of the solver library, as JSON members. */
inline void start(int argc, char** argv, const std::string& library) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  signal(SIGPIPE, SIG_IGN);
  if (rank != 0) return;
  if (argc != 2) giveUp("needed: the address of the socket");
  connectTo(argv[1]);
  char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(mpi, &length);
  greet("{\"protocol\":" + std::to_string(PROTOCOL) + ",\"driver\":" + quoted(PEEL_DRIVER) + ",\"ranks\":" + std::to_string(ranks) + "," + library +
        ",\"mpi\":" + quoted(std::string(mpi).substr(0, 60)) + "}");
  watchParent();
}

/** The next frame, for all ranks; BYE at the end of the stream. Ranks that wait sleep: MPI's own waiting takes a core each. */
inline Header nextFrame() {
  Header header = {};
  if (rank == 0 && !readExactly(&header, sizeof header)) header.type = BYE;
  else if (rank == 0 && (header.magic != MAGIC || header.protocol != PROTOCOL)) {
    fprintf(stderr, "peel driver: a bad frame, %08x\n", header.magic);
    header.type = BYE;
  }
  MPI_Request request;
  MPI_Ibcast(&header, sizeof header, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
  for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done;) usleep(5000);
  return header;
}

/** Has the parent asked to stop this solve? All ranks get the same answer. */
inline bool isCancelled(uint32_t id) {
  int cancelled = 0;
  if (rank == 0) {
    for (pollfd state = {parent, POLLIN, 0}; poll(&state, 1, 0) > 0 && !cancelled;) {
      Header header;
      if (!readExactly(&header, sizeof header)) giveUp("Peel went away");
      if (header.magic != MAGIC || header.length > 0 || header.type != CANCEL) giveUp("a bad frame within a solve");
      cancelled = header.id == id;
    }
  }
  fromRoot(cancelled);
  return cancelled;
}

/** Sends back what it gets. */
inline void echo(const Header& header) {
  if (rank != 0) return;
  std::vector<char> piece(PIECE);
  writeHeader(ECHO, header.id, header.length);
  for (uint64_t left = header.length; left > 0;) {
    const uint64_t count = std::min<uint64_t>(left, piece.size());
    readOrGiveUp(piece.data(), count);
    write(piece.data(), count);
    left -= count;
  }
}

// ---- shares: rank r has bytes start[r] to start[r + 1] of a stream

inline std::vector<char> receiveShare(const std::vector<uint64_t>& start) {
  std::vector<char> share(start[rank + 1] - start[rank]), piece;
  if (rank > 0) {
    for (uint64_t at = 0; at < share.size(); at += PIECE)
      MPI_Recv(share.data() + at, int(std::min(PIECE, share.size() - at)), MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return share;
  }
  readOrGiveUp(share.data(), share.size());
  piece.resize(ranks > 1 ? PIECE : 0);
  for (int r = 1; r < ranks; r++)
    for (uint64_t left = start[r + 1] - start[r]; left > 0;) {
      const uint64_t count = std::min(PIECE, left);
      readOrGiveUp(piece.data(), count);
      MPI_Send(piece.data(), int(count), MPI_BYTE, r, 1, MPI_COMM_WORLD);
      left -= count;
    }
  return share;
}

/** Rank 0 writes all shares in their order. */
inline void returnShares(const std::vector<double>& share) {
  uint64_t bytes = share.size() * 8;
  if (rank > 0) {
    MPI_Send(&bytes, 8, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    for (uint64_t at = 0; at < bytes; at += PIECE)
      MPI_Send(reinterpret_cast<const char*>(share.data()) + at, int(std::min(PIECE, bytes - at)), MPI_BYTE, 0, 3, MPI_COMM_WORLD);
    return;
  }
  write(share.data(), bytes);
  std::vector<char> piece(ranks > 1 ? PIECE : 0);
  for (int r = 1; r < ranks; r++) {
    MPI_Recv(&bytes, 8, MPI_BYTE, r, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (uint64_t left = bytes; left > 0;) {
      const uint64_t count = std::min(PIECE, left);
      MPI_Recv(piece.data(), int(count), MPI_BYTE, r, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      write(piece.data(), count);
      left -= count;
    }
  }
}

// ---- what a solve has cost

inline double cpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

inline double peakMegabytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024.0;
}

/** The twelve numbers before the pressures of a SOLUTION. */
struct Statistics {
  double residual = 0, outer = 0, inner = 0, unknowns = 0, cells = 0, cpu = 0, slowestCpu = 0, boxes = 0, setups = 0, robust = 0, peakMb = 0,
         cancelled = 0;
};

inline void writeSolution(uint32_t id, Statistics statistics, double cpu, const std::vector<double>& share) {
  statistics.cpu = total(cpu);
  statistics.slowestCpu = largest(cpu);
  statistics.peakMb = largest(peakMegabytes());
  const double values = total(double(share.size()));
  if (rank == 0) {
    writeHeader(SOLUTION, id, sizeof statistics + 8 * uint64_t(values));
    write(&statistics, sizeof statistics);
  }
  returnShares(share);
}

/** Answers frames until the parent says good-bye or something that makes no sense. `solve` returns false for the latter. */
inline void serve(bool (*solve)(const Header&)) {
  for (Header header; header = nextFrame(), header.type != BYE;) {
    if (header.type == ECHO) echo(header);
    else if (header.type == CANCEL) continue;  // of a solve that has ended meanwhile
    else if (header.type != SOLVE || !solve(header)) {
      if (rank == 0) fprintf(stderr, "peel driver: a frame of type %d that makes no sense\n", header.type);
      return;
    }
  }
}

}  // namespace bridge
