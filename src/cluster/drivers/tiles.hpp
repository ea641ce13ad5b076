// The part of a grid problem that a rank has: tiles, joined to boxes, and how they come and go.
#pragma once
#include "bridge.hpp"

struct Task {
  int32_t shape[3], tile, tiles, warm;
  double tolerance, innerTolerance;
  int32_t maxOuter, maxInner;
};
static_assert(sizeof(Task) == 48);

struct Tile {
  int32_t id;
  /** The box of its unknowns, within the tile. */
  uint8_t low[3], high[3];
  uint16_t unused;
  long cells() const { return long(high[0] - low[0] + 1) * (high[1] - low[1] + 1) * (high[2] - low[2] + 1); }
  bool isEmpty() const { return high[0] < low[0] || high[1] < low[1] || high[2] < low[2]; }
};
static_assert(sizeof(Tile) == 12);

struct Box {
  int low[3], high[3];
  long first;  // of its cells in the arrays of the rank
  int side(int axis) const { return high[axis] - low[axis] + 1; }
  long cells() const { return long(side(0)) * side(1) * side(2); }
  bool holds(const int* at) const {
    return at[0] >= low[0] && at[0] <= high[0] && at[1] >= low[1] && at[1] <= high[1] && at[2] >= low[2] && at[2] <= high[2];
  }
  long at(int x, int y, int z) const { return first + (long(z - low[2]) * side(1) + (y - low[1])) * side(0) + (x - low[0]); }
};

inline long recordBytes(const Task& task, const Tile& tile) { return tile.cells() * (task.warm ? 48 : 40) + (tile.cells() + 7) / 8 * 8; }

/** What the rank has of a problem. */
struct Part {
  Task task;
  std::vector<Tile> tiles;
  std::vector<Box> places;   // of the tiles, trimmed
  std::vector<Box> boxes;    // tiles joined where that gives a box, trimmed again
  std::vector<int> boxOf;    // of every tile
  long cells = 0;
  std::vector<double> diagonal, links[3], b, p;
  std::vector<uint8_t> kind;
};

inline Box placeOf(const Task& task, const Tile& tile) {
  const int across[2] = {(task.shape[0] + task.tile - 1) / task.tile, (task.shape[1] + task.tile - 1) / task.tile};
  const int corner[3] = {tile.id % across[0], tile.id / across[0] % across[1], tile.id / across[0] / across[1]};
  Box place;
  for (int axis = 0; axis < 3; axis++) {
    place.low[axis] = corner[axis] * task.tile + tile.low[axis];
    place.high[axis] = corner[axis] * task.tile + tile.high[axis];
  }
  return place;
}

/** Tiles whose whole sides meet become one box: few large boxes are swept faster than many small ones. */
inline std::vector<Box> joinTiles(const Task& task, const std::vector<Tile>& tiles) {
  std::vector<Box> boxes;
  for (const Tile& tile : tiles) {
    Box box = placeOf(task, tile);
    for (int axis = 0; axis < 3; axis++) box.low[axis] = box.high[axis] = box.low[axis] / task.tile;
    boxes.push_back(box);
  }
  for (int axis = 0; axis < 3; axis++) {
    const int one = (axis + 1) % 3, two = (axis + 2) % 3;
    const auto key = [&](const Box& box) {
      return std::vector<int>{box.low[one], box.high[one], box.low[two], box.high[two], box.low[axis]};
    };
    std::sort(boxes.begin(), boxes.end(), [&](const Box& a, const Box& b) { return key(a) < key(b); });
    std::vector<Box> joined;
    for (const Box& box : boxes) {
      Box* last = joined.empty() ? nullptr : &joined.back();
      const bool meets = last && last->low[one] == box.low[one] && last->high[one] == box.high[one] && last->low[two] == box.low[two] &&
                         last->high[two] == box.high[two] && last->high[axis] + 1 == box.low[axis];
      if (meets) last->high[axis] = box.high[axis];
      else joined.push_back(box);
    }
    boxes = joined;
  }
  return boxes;
}

inline void layOut(Part& part) {
  part.boxes = joinTiles(part.task, part.tiles);
  std::vector<Box> trimmed(part.boxes.size());
  std::vector<bool> started(part.boxes.size());
  for (const Tile& tile : part.tiles) {
    const Box place = placeOf(part.task, tile);
    int corner[3];
    for (int axis = 0; axis < 3; axis++) corner[axis] = place.low[axis] / part.task.tile;
    int box = 0;
    while (!part.boxes[box].holds(corner)) box++;
    for (int axis = 0; axis < 3; axis++) {
      trimmed[box].low[axis] = started[box] ? std::min(trimmed[box].low[axis], place.low[axis]) : place.low[axis];
      trimmed[box].high[axis] = started[box] ? std::max(trimmed[box].high[axis], place.high[axis]) : place.high[axis];
    }
    started[box] = true;
    part.places.push_back(place);
    part.boxOf.push_back(box);
  }
  part.boxes = trimmed;
  for (Box& box : part.boxes) {
    box.first = part.cells;
    part.cells += box.cells();
  }
  for (auto* field : {&part.diagonal, &part.links[0], &part.links[1], &part.links[2], &part.b, &part.p}) field->assign(part.cells, 0.0);
  part.kind.assign(part.cells, 0);
}

/** Visits the lines of a tile along x: where it begins in the record of the tile and in the arrays of the rank, and its length. */
template <class Visit>
void forLines(const Part& part, size_t tile, Visit visit) {
  const Box& place = part.places[tile];
  const Box& box = part.boxes[part.boxOf[tile]];
  long from = 0;
  for (int z = place.low[2]; z <= place.high[2]; z++)
    for (int y = place.low[1]; y <= place.high[1]; y++, from += place.side(0)) visit(from, box.at(place.low[0], y, z), place.side(0));
}

inline void unpack(Part& part, const char* share) {
  for (size_t tile = 0; tile < part.tiles.size(); tile++) {
    const long cells = part.tiles[tile].cells();
    const double* values = reinterpret_cast<const double*>(share);
    double* fields[6] = {part.diagonal.data(), part.links[0].data(), part.links[1].data(), part.links[2].data(), part.b.data(), part.p.data()};
    const int count = part.task.warm ? 6 : 5;
    const uint8_t* kinds = reinterpret_cast<const uint8_t*>(values + count * cells);
    forLines(part, tile, [&](long from, long to, int length) {
      for (int field = 0; field < count; field++) memcpy(fields[field] + to, values + field * cells + from, 8 * length);
      memcpy(&part.kind[to], kinds + from, length);
    });
    share += recordBytes(part.task, part.tiles[tile]);
  }
}

/** Pressures in the order of the records. */
inline std::vector<double> pack(const Part& part) {
  std::vector<double> share;
  for (size_t tile = 0; tile < part.tiles.size(); tile++) {
    const size_t first = share.size();
    share.resize(first + part.tiles[tile].cells());
    forLines(part, tile, [&](long from, long to, int length) { memcpy(&share[first + from], &part.p[to], 8 * length); });
  }
  return share;
}
