// SHA-256 (FIPS 180-4) and HMAC (RFC 2104), for the proofs that Peel and a driver give each other. Written out because a driver is compiled
// on the machines of others with nothing but MPI and its solver library: OpenSSL would be one more package on every node, for a hundred
// bytes per session. Tested against the vectors of NIST and of RFC 4231.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

namespace sha256 {

using Digest = std::array<uint8_t, 32>;

inline uint32_t turned(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

inline void compress(uint32_t* state, const uint8_t* block) {
  static constexpr uint32_t K[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
      0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
      0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
      0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
      0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
      0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  uint32_t w[64];
  for (int t = 0; t < 16; t++)
    w[t] = uint32_t(block[4 * t]) << 24 | uint32_t(block[4 * t + 1]) << 16 | uint32_t(block[4 * t + 2]) << 8 | block[4 * t + 3];
  for (int t = 16; t < 64; t++) {
    const uint32_t low = turned(w[t - 15], 7) ^ turned(w[t - 15], 18) ^ w[t - 15] >> 3;
    const uint32_t high = turned(w[t - 2], 17) ^ turned(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + low + w[t - 7] + high;
  }
  uint32_t v[8];
  std::copy(state, state + 8, v);
  for (int t = 0; t < 64; t++) {
    const uint32_t mixed = turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25);
    const uint32_t one = v[7] + mixed + ((v[4] & v[5]) ^ (~v[4] & v[6])) + K[t] + w[t];
    const uint32_t two = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    for (int i = 7; i > 0; i--) v[i] = v[i - 1];
    v[4] += one;
    v[0] = one + two;
  }
  for (int i = 0; i < 8; i++) state[i] += v[i];
}

inline Digest hash(const std::string& message) {
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::string padded = message + char(0x80);
  padded.resize((padded.size() + 8 + 63) / 64 * 64, 0);
  const uint64_t bits = 8 * uint64_t(message.size());
  for (int i = 0; i < 8; i++) padded[padded.size() - 1 - i] = char(bits >> (8 * i));
  for (size_t at = 0; at < padded.size(); at += 64) compress(state, reinterpret_cast<const uint8_t*>(padded.data()) + at);
  Digest digest;
  for (int i = 0; i < 32; i++) digest[i] = uint8_t(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

inline std::string text(const Digest& digest) { return std::string(reinterpret_cast<const char*>(digest.data()), digest.size()); }

inline Digest hmac(const std::string& key, const std::string& message) {
  std::string block = key.size() > 64 ? text(hash(key)) : key;
  block.resize(64, 0);
  std::string inner = block, outer = block;
  for (char& c : inner) c ^= 0x36;
  for (char& c : outer) c ^= 0x5c;
  return hash(outer + text(hash(inner + message)));
}

/** Takes the same time wherever they differ. */
inline bool isSame(const Digest& one, const Digest& other) {
  uint8_t difference = 0;
  for (size_t i = 0; i < one.size(); i++) difference |= one[i] ^ other[i];
  return difference == 0;
}

}  // namespace sha256
