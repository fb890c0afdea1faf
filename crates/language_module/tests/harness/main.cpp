// Runs a generated module by lines on standard input, with numbers in decimal, and answers on standard output.
//
//   load WHAT ADDRESS VALUE | hold 0 or 1 | look ADDRESS -> value
//   event HANDLER LEVEL_CYCLES STALL, 11 inputs, 96 members of levels
//     -> cycles, level cycles, faults (3), stopped, number of intents and items, then these

#include <cinttypes>
#include <cstdio>
#include "../../../../verify/lockstep/cpp/processor.inc"

int main() {
  Sim sim;
  char word[16];
  auto number = [] {
    int64_t value = 0;
    if (std::scanf("%" SCNd64, &value) != 1) std::exit(2);
    return value;
  };
  while (std::scanf("%15s", word) == 1) {
    if (!std::strcmp(word, "load")) {
      const auto what = number();
      const auto address = number();
      model_load(&sim, what, address, number());
    } else if (!std::strcmp(word, "hold")) {
      sim.hold(number());
    } else if (!std::strcmp(word, "look")) {
      std::printf("%" PRId64 "\n", static_cast<int64_t>(model_look(&sim, number())));
    } else {
      Event event{};
      event.handler = number();
      event.level_cycles = number();
      event.stall = number();
      for (auto& input : event.inputs) input = number();
      for (auto& side : event.levels)
        for (auto& level : side)
          for (auto& member : level) member = number();
      sim.event(event);
      const Outcome& o = sim.outcome;
      std::printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %d %zu %zu", o.cycles, o.level_cycles, o.division, o.index,
                  o.intents, sim.top->stopped, sim.context.gotError(), sim.intents.size(), sim.items.size());
      for (const Intent& i : sim.intents)
        std::printf(" %d %d %u %d %d %d %d %" PRId64 " %u", i.kind, i.fits, i.order, i.time_in_force, i.limit, i.sell, i.instrument, i.price,
                    i.quantity);
      for (const Item& i : sim.items) std::printf(" %d %d %" PRId64, i.end, i.tag, i.value);
      std::printf("\n");
    }
    std::fflush(stdout);
  }
}
