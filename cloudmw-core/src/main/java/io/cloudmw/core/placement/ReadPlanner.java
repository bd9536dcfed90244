package io.cloudmw.core.placement;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The planner of reads: it decides which helper races for which replica.
 *
 * <p>The algorithm: k helpers E1..Ek race for each chunk, and Ei asks for the i-th replica. With rotation it asks for
 * another one in each round, so that no helper is bound to one store's luck. [1] CloudMW §4.1.
 *
 * <p>Differs: the owner of a disk races for the replicas on it, because it reads them without a network. The others of
 * the k are drawn from the live helpers by the version's name, so that transfers spread over them. In a plan with more
 * helpers than that they take turns, k for each chunk. Replicas known to be bad and helpers known to be gone take no
 * part, so fewer than k may race. Measured speeds decide which replicas race then, and in the rotation ({@link
 * ReplicaOrder}).
 */
public final class ReadPlanner {
    /** The most helpers of a race: the destination keeps a connection to each. */
    public static final int MAX_HELPERS = 16;

    /** The most switches of a plan. */
    public static final int MAX_SWITCHES = 32;

    /** The most helpers of a plan in all. */
    public static final int MAX_PLANNED = MAX_SWITCHES + MAX_HELPERS;

    /**
     * The preferences among replicas.
     *
     * @param order the order of preference
     * @param rotate whether helpers swap replicas from chunk to chunk
     * @param reach no helper begins with a replica that it cannot use
     */
    public record Preference(ReplicaOrder order, boolean rotate, StoreReachability reach) {
        /** The preferences when every helper can use every store. */
        public Preference(ReplicaOrder order, boolean rotate) {
            this(order, rotate, StoreReachability.FULL);
        }
    }

    private ReadPlanner() {}

    /** The helpers of a transfer when every helper can use every store. */
    public static List<HelperAddress> helpers(
            String key, List<Store> stores, int wanted, Collection<HelperAddress> live) {
        return helpers(key, stores, wanted, live, StoreReachability.FULL);
    }

    /**
     * The helpers of one transfer in rank order. The owner of the i-th store's disk has rank i; live helpers that own
     * none of the volume's disks take the places of the other stores. Helpers that can use more of the stores come
     * before others; those that can use none take no part.
     *
     * @param key names the transfer: the same key draws the same helpers
     * @param stores of the volume, in its order
     * @param wanted at least so many helpers, k or more, if that many are alive
     */
    public static List<HelperAddress> helpers(
            String key, List<Store> stores, int wanted, Collection<HelperAddress> live, StoreReachability reach) {
        Map<HelperId, HelperAddress> free = new LinkedHashMap<>();
        live.stream()
                .filter(helper -> reach.count(helper.id(), stores) > 0 || owns(helper.id(), stores))
                .sorted(Comparator.comparingInt((HelperAddress helper) -> -reach.count(helper.id(), stores))
                        .thenComparing(
                                helper -> RendezvousHash.hash(key, helper.id().value()))
                        .thenComparing(HelperAddress::id))
                .forEach(helper -> free.put(helper.id(), helper));
        List<Optional<HelperAddress>> places = new ArrayList<>();
        for (Store store : stores) {
            places.add(store.owner().flatMap(owner -> Optional.ofNullable(free.remove(owner))));
        }
        long owners = places.stream().filter(Optional::isPresent).count();
        long most = Math.min(MAX_HELPERS, Math.max(owners, wanted));
        List<HelperAddress> others = new ArrayList<>(
                free.values().stream().limit(Math.max(0, most - owners)).toList());
        Stream.Builder<HelperAddress> reading = Stream.builder();
        places.forEach(place -> place.ifPresent(reading));
        addReaders(stores, Stream.concat(reading.build(), others.stream()).toList(), free.values(), reach, others);
        Iterator<HelperAddress> next = others.iterator();
        List<HelperAddress> ranked = new ArrayList<>();
        for (Optional<HelperAddress> place : places) {
            if (place.isPresent()) {
                ranked.add(place.get());
            } else if (next.hasNext()) {
                ranked.add(next.next());
            }
        }
        next.forEachRemaining(ranked::add);
        return List.copyOf(ranked.subList(0, Math.min(ranked.size(), MAX_HELPERS)));
    }

    private static boolean owns(HelperId helper, List<Store> stores) {
        return stores.stream().anyMatch(store -> store.owner().equals(Optional.of(helper)));
    }

    /** Adds a helper for each bucket that none of the readers can use. */
    private static void addReaders(
            List<Store> stores,
            List<HelperAddress> readers,
            Collection<HelperAddress> drawn,
            StoreReachability reach,
            List<HelperAddress> added) {
        for (Store store : stores) {
            boolean isRead = store.owner().isPresent()
                    || Stream.concat(readers.stream(), added.stream())
                            .anyMatch(helper -> reach.canUse(helper.id(), store));
            if (!isRead) {
                drawn.stream()
                        .filter(helper -> reach.canUse(helper.id(), store))
                        .findFirst()
                        .ifPresent(added::add);
            }
        }
    }

    /**
     * The live switches of a volume, by id; when a plan cannot name them all, some of them.
     *
     * @param key names the transfer: the same key draws the same switches
     * @param owners of the volume's disks: a plan names them too, because readers of a disk ask its owner
     */
    public static List<HelperAddress> switches(
            String key, VolumeName volume, Collection<HelperAddress> live, Set<HelperId> owners) {
        List<HelperAddress> drawn = live.stream()
                .filter(helper -> helper.switched().contains(volume))
                .sorted(Comparator.comparingLong((HelperAddress helper) ->
                                RendezvousHash.hash(key, helper.id().value()))
                        .thenComparing(HelperAddress::id))
                .toList();
        Set<HelperId> named = new HashSet<>(owners);
        List<HelperAddress> chosen = new ArrayList<>();
        for (HelperAddress helper : drawn) {
            if (chosen.size() < MAX_SWITCHES && (named.size() < MAX_PLANNED || named.contains(helper.id()))) {
                named.add(helper.id());
                chosen.add(helper);
            }
        }
        chosen.sort(Comparator.comparing(HelperAddress::id));
        return List.copyOf(chosen);
    }

    /** The switches, then other readers for the time when no switch is left: first those whose disks are read. */
    public static List<HelperAddress> behind(
            List<HelperAddress> switches, List<HelperAddress> others, Set<HelperId> owners) {
        return Stream.of(
                        switches.stream(),
                        others.stream().filter(helper -> owners.contains(helper.id())),
                        others.stream())
                .flatMap(Function.identity())
                .distinct()
                .limit(MAX_PLANNED)
                .toList();
    }

    /**
     * The rank of the switch that is nearest to a reader; empty when none shares any of its location. Among equally
     * near switches the less loaded of two is taken: M. Mitzenmacher, "The Power of Two Choices in Randomized Load
     * Balancing", 2001. So readers that arrive together do not all follow the same old figures.
     *
     * @param load the load of each, as far as it is known
     * @param turn another number each time
     */
    public static OptionalInt near(
            List<HelperAddress> switches, Location reader, ToLongFunction<HelperId> load, long turn) {
        int most = switches.stream()
                .mapToInt(helper -> helper.location().shared(reader))
                .max()
                .orElse(0);
        if (most == 0) {
            return OptionalInt.empty();
        }
        int[] nearest = IntStream.range(0, switches.size())
                .filter(rank -> switches.get(rank).location().shared(reader) == most)
                .toArray();
        int one = nearest[(int) Math.floorMod(turn, (long) nearest.length)];
        int other = nearest[(int) Math.floorMod(turn / nearest.length + turn + 1, (long) nearest.length)];
        boolean less = load.applyAsLong(switches.get(other).id())
                < load.applyAsLong(switches.get(one).id());
        return OptionalInt.of(less ? other : one);
    }

    /**
     * The racers for one chunk: at most one entrant for each readable replica. When there are more replicas than
     * helpers, those with the earliest expected end are raced for. With rotation, helpers take turns among those that
     * are not far behind.
     *
     * @param helpers of the transfer, in rank order
     * @param stores the volume's, by id; a replica in none of them is not raced for
     * @param reachable the live helpers, whether in the plan or not
     * @param bad replicas that no racer is to begin with
     */
    public static List<Entrant> entrants(
            Chunk chunk,
            List<HelperId> helpers,
            Map<StoreId, Store> stores,
            Set<HelperId> reachable,
            Set<StoreId> bad,
            Preference preference) {
        List<Integer> readable = new ArrayList<>();
        for (int replica = 0; replica < chunk.replicas().size(); replica++) {
            StoreId id = chunk.replicas().get(replica);
            Store store = stores.get(id);
            boolean reached =
                    store != null && store.owner().map(reachable::contains).orElse(true);
            if (reached && !bad.contains(id)) {
                readable.add(replica);
            }
        }
        if (readable.isEmpty() || helpers.isEmpty()) {
            return List.of();
        }
        int racers = Math.min(readable.size(), helpers.size());
        List<Integer> turns = preference.order().of(chunk, readable, racers);
        Assignment assignment = new Assignment(chunk, helpers, stores, preference.reach());
        Map<Integer, Integer> racerOf = assignment.assign(readable, turns);
        List<Integer> raced = readable.stream().filter(racerOf::containsKey).toList();
        List<Integer> rotating = turns.stream().sorted().toList();
        List<Entrant> entrants = new ArrayList<>();
        for (int i = 0; i < raced.size(); i++) {
            int racer = racerOf.getOrDefault(raced.get(i), 0);
            int rotated = rotating.get((int) ((i + chunk.index()) % rotating.size()));
            int replica = preference.rotate() && assignment.canRead(racer, rotated) ? rotated : raced.get(i);
            entrants.add(new Entrant(new RacerId(racer), replica));
        }
        return entrants;
    }

    /** The helpers and stores that could read one chunk. */
    private record Assignment(
            Chunk chunk, List<HelperId> helpers, Map<StoreId, Store> stores, StoreReachability reach) {
        boolean canRead(int rank, int replica) {
            Store store = stores.get(chunk.replicas().get(replica));
            return store != null && reach.canUse(helpers.get(rank), store);
        }

        /**
         * Assigns racers to replicas. Owners of disks come first. For the other replicas, in order, rank i among those
         * whose turn it is takes replica i if both are free.
         */
        Map<Integer, Integer> assign(List<Integer> readable, List<Integer> order) {
            Map<Integer, Integer> racerOf = new HashMap<>();
            Set<Integer> taken = new HashSet<>();
            for (int replica : readable) {
                Store store = stores.get(chunk.replicas().get(replica));
                int owner =
                        store == null ? -1 : store.owner().map(helpers::indexOf).orElse(-1);
                if (owner >= 0 && taken.add(owner)) {
                    racerOf.put(replica, owner);
                }
            }
            List<Integer> next = Stream.concat(order.stream(), readable.stream())
                    .distinct()
                    .filter(replica -> !racerOf.containsKey(replica))
                    .filter(replica -> IntStream.range(0, helpers.size()).anyMatch(rank -> canRead(rank, replica)))
                    .limit(helpers.size() - taken.size())
                    .toList();
            int first = firstOfTurn(chunk, helpers, stores);
            for (int replica : next) {
                int rank = (first + replica) % helpers.size();
                if (replica < helpers.size() && canRead(rank, replica) && taken.add(rank)) {
                    racerOf.put(replica, rank);
                }
            }
            for (int replica : next) {
                for (int i = 0; i < helpers.size() && !racerOf.containsKey(replica); i++) {
                    int rank = (first + i) % helpers.size();
                    if (canRead(rank, replica) && taken.add(rank)) {
                        racerOf.put(replica, rank);
                    }
                }
            }
            return racerOf;
        }
    }

    /** The first rank of a chunk's racers; 0 in plans with no more helpers than race for each chunk. */
    private static int firstOfTurn(Chunk chunk, List<HelperId> helpers, Map<StoreId, Store> stores) {
        int replicas = chunk.replicas().size();
        long owners = stores.values().stream()
                .flatMap(store -> store.owner().stream())
                .distinct()
                .filter(helpers::contains)
                .count();
        return helpers.size() > Math.max(owners, replicas) ? (int) (chunk.index() * replicas % helpers.size()) : 0;
    }
}
