package io.cloudmw.it.dynamodb;

import static io.cloudmw.it.dynamodb.Operation.path;
import static io.cloudmw.it.dynamodb.Operation.put;
import static io.cloudmw.it.dynamodb.Operation.remove;
import static io.cloudmw.it.dynamodb.Operation.rename;
import static io.cloudmw.it.dynamodb.Operation.withAVolume;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.catalog.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What another coordinator does comes in between the requests that one operation on names consists of. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbInterleavingIT {
    /** Seeds of meetings made up at random. */
    private static final int SEEDS = Integer.getInteger("cloudmw.test.seeds", 6);

    private final DynamoDbLocal dynamoDb;

    DynamoDbInterleavingIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    /** What is there, what one coordinator does, and what another does meanwhile. */
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

    /** Each time with new versions: one that was removed is not put again. */
    private record Scenario(String name, Supplier<Meeting> meeting) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Scenario> whoComesInBetweenIsBeforeOrAfter() {
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
                                List.of(rename("/d/e", "/e", false)))));
        Stream<Scenario> random = Stream.iterate(0, seed -> seed + 1)
                .limit(SEEDS)
                .map(seed -> new Scenario("seed " + seed, () -> Meeting.random(seed)));
        return Stream.concat(told, random);
    }

    /** What comes of both is what comes of one after the other, whichever request the others come before. */
    @ParameterizedTest
    @MethodSource
    void whoComesInBetweenIsBeforeOrAfter(Scenario scenario) throws Exception {
        String table = DynamoDbLocal.newTable();
        try (FaultyNetwork network = new FaultyNetwork(dynamoDb.endpoint());
                Catalog ours = withAVolume(DynamoDbLocal.open(table, network.endpoint()));
                Catalog other = dynamoDb.open(table)) {
            int at = 0;
            boolean cameInBetween;
            do {
                at++;
                cameInBetween = meet(scenario.meeting().get(), network, at, ours, other);
                other.deleteVolume(Operation.VOLUME, true, 1);
                withAVolume(other);
            } while (cameInBetween);
            assertThat(at).as("requests of the one").isGreaterThan(2);
        }
    }

    /** Gives whether the one had so many requests, so that the others came before one of them. */
    private static boolean meet(Meeting meeting, FaultyNetwork network, int at, Catalog ours, Catalog other)
            throws Exception {
        all(meeting.before(), other);
        AtomicInteger requests = new AtomicInteger();
        network.set(request -> {
            if (requests.incrementAndGet() == at) {
                all(meeting.others(), other);
            }
            return FaultyNetwork.Fault.NONE;
        });
        String outcome = meeting.one().outcome(ours);
        network.set(request -> FaultyNetwork.Fault.NONE);
        boolean cameInBetween = requests.get() >= at;
        if (!cameInBetween) {
            all(meeting.others(), other);
        }
        assertThat(outcome + Operation.tree(other, ""))
                .as("others before request %d", at)
                .isIn(modelled(meeting, true), modelled(meeting, false));
        return cameInBetween;
    }

    private static void all(List<Operation> operations, Catalog catalog) {
        operations.forEach(operation -> operation.outcome(catalog));
    }

    private static String modelled(Meeting meeting, boolean oneFirst) throws CloudMwException {
        try (Catalog model = withAVolume(new InMemoryCatalog())) {
            all(meeting.before(), model);
            if (!oneFirst) {
                all(meeting.others(), model);
            }
            String outcome = meeting.one().outcome(model);
            if (oneFirst) {
                all(meeting.others(), model);
            }
            return outcome + Operation.tree(model, "");
        }
    }
}
