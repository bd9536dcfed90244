package io.cloudmw.it.dynamodb;

import static io.cloudmw.it.dynamodb.Operation.path;
import static io.cloudmw.it.dynamodb.Operation.put;
import static io.cloudmw.it.dynamodb.Operation.read;
import static io.cloudmw.it.dynamodb.Operation.remove;
import static io.cloudmw.it.dynamodb.Operation.rename;
import static io.cloudmw.it.dynamodb.Operation.withAVolume;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that run another coordinator's operations between the requests of one operation on names. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbInterleavingIT {
    /** The number of random test cases. */
    private static final int SEEDS = Integer.getInteger("cloudmw.test.seeds", 6);

    private final DynamoDbLocal dynamoDb;

    DynamoDbInterleavingIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    /**
     * A test case: the initial state, one coordinator's operation, and the other coordinator's operations in between.
     */
    private record Meeting(List<Operation> before, Operation one, List<Operation> others) {
        static Meeting random(int seed) {
            SplittableRandom random = new SplittableRandom(seed);
            List<Operation> before =
                    Stream.generate(() -> put(path(random))).limit(4).toList();
            return new Meeting(before, step(random), List.of(step(random), step(random)));
        }

        private static Operation step(SplittableRandom random) {
            return switch (random.nextInt(6)) {
                case 0 -> put(path(random));
                case 1 -> remove(path(random));
                default -> rename(path(random), path(random), random.nextBoolean());
            };
        }
    }

    /** A named test case, made anew for each run, since a removed version cannot be put again. */
    private record Scenario(String name, Supplier<Meeting> meeting) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Scenario> interleavedOperationTakesEffectBeforeOrAfter() {
        Stream<Scenario> told = Stream.of(
                new Scenario(
                        "where it is moved to becomes what is moved",
                        () -> new Meeting(
                                List.of(put("/d/x")), rename("/b", "/d/b", false), List.of(rename("/d", "/b", false)))),
                new Scenario(
                        "what is above where it is moved to becomes what is moved",
                        () -> new Meeting(
                                List.of(put("/d/e/x")),
                                rename("/b", "/d/e/b", false),
                                List.of(rename("/d", "/b", false)))),
                new Scenario(
                        "where it is becomes where it is moved to",
                        () -> new Meeting(
                                List.of(put("/b/c")),
                                rename("/b/c", "/d/c", true),
                                List.of(rename("/b", "/d", false)))),
                new Scenario(
                        "where it is moved to goes",
                        () -> new Meeting(
                                List.of(put("/d/b/c"), put("/d/e/f")),
                                rename("/d/b/c", "/d/e/longer", false),
                                List.of(remove("/d/e/f")))),
                new Scenario(
                        "where it is moved to is moved",
                        () -> new Meeting(
                                List.of(put("/d/b/c"), put("/d/e/f")),
                                rename("/d/b/c", "/d/e/longer", false),
                                List.of(rename("/d/e", "/e", false)))),
                new Scenario(
                        "who empties it together with another, and it is moved before it is gone",
                        () -> new Meeting(
                                List.of(put("/d/f"), put("/d/g")),
                                remove("/d/g"),
                                List.of(remove("/d/f"), rename("/d", "/e", false)))),
                new Scenario(
                        "the directory of files that are read at once is moved, and gets another file",
                        () -> new Meeting(
                                List.of(put("/d/b/x")),
                                read("/d/b/x", "/d/b/c"),
                                List.of(rename("/d/b", "/e", false), put("/e/c")))),
                new Scenario(
                        "a file that is read with another one is moved to another directory",
                        () -> new Meeting(
                                List.of(put("/d/b/x"), put("/d/b/c")),
                                read("/d/b/x", "/d/b/c"),
                                List.of(rename("/d/b/c", "/e", false)))));
        Stream<Scenario> random = Stream.iterate(0, seed -> seed + 1)
                .limit(SEEDS)
                .map(seed -> new Scenario("seed " + seed, () -> Meeting.random(seed)));
        return Stream.concat(told, random);
    }

    /** The result must equal that of some sequential order, whichever requests the other operations precede. */
    @ParameterizedTest
    @MethodSource
    void interleavedOperationTakesEffectBeforeOrAfter(Scenario scenario) throws Exception {
        String table = DynamoDbLocal.newTable();
        try (FaultyNetwork network = new FaultyNetwork(dynamoDb.endpoint());
                Catalog ours = withAVolume(DynamoDbLocal.open(table, network.endpoint()));
                Catalog other = dynamoDb.open(table)) {
            int requests = Integer.MAX_VALUE;
            for (int first = 1; first <= requests; first++) {
                requests = 0;
                for (int second = first; requests == 0; second++) {
                    Places places = new Places(scenario.meeting().get(), List.of(first, second));
                    int came = places.meet(network, ours, other);
                    other.deleteVolume(Operation.VOLUME, true, 1);
                    withAVolume(other);
                    requests = second > came || places.meeting.others().size() == 1 ? came : 0;
                }
            }
            assertThat(requests).as("requests of the one").isGreaterThan(2);
        }
    }

    /** A test case with the request of the one operation that each other operation precedes. */
    private record Places(Meeting meeting, List<Integer> at) {
        /**
         * Runs the case and returns the number of requests of the one operation. Operations scheduled before a later
         * request run at the end.
         */
        int meet(FaultyNetwork network, Catalog ours, Catalog other) throws Exception {
            meeting.before().forEach(operation -> operation.outcome(other));
            List<String> others = new ArrayList<>();
            AtomicInteger requests = new AtomicInteger();
            network.set(request -> {
                int number = requests.incrementAndGet();
                while (others.size() < meeting.others().size() && at.get(others.size()) == number) {
                    others.add(meeting.others().get(others.size()).outcome(other));
                }
                return FaultyNetwork.Fault.NONE;
            });
            String outcome = meeting.one().outcome(ours);
            network.set(request -> FaultyNetwork.Fault.NONE);
            while (others.size() < meeting.others().size()) {
                others.add(meeting.others().get(others.size()).outcome(other));
            }
            assertThat(outcome + others + Operation.tree(other, ""))
                    .as("others before requests %s", at)
                    .isIn(modelled());
            return requests.get();
        }

        /** Returns the allowed results: the one operation precedes all others, or follows some of them. */
        private List<String> modelled() throws CloudMwException {
            List<String> possible = new ArrayList<>();
            for (int earlier = 0; earlier <= meeting.others().size(); earlier++) {
                try (Catalog model = withAVolume(new InMemoryCatalog())) {
                    meeting.before().forEach(operation -> operation.outcome(model));
                    List<String> others = new ArrayList<>();
                    String outcome = "";
                    for (int i = 0; i <= meeting.others().size(); i++) {
                        if (i == earlier) {
                            outcome = meeting.one().outcome(model);
                        }
                        if (i < meeting.others().size()) {
                            others.add(meeting.others().get(i).outcome(model));
                        }
                    }
                    possible.add(outcome + others + Operation.tree(model, ""));
                }
            }
            return possible;
        }
    }
}
