package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.testing.Versions;
import io.cloudmw.core.testing.consistency.ConsistencyCheck;
import io.cloudmw.core.testing.consistency.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Contract of linearizability: clients of one catalog, or of several on the same data, see each call as if it happened
 * at one moment.
 */
public abstract class ConsistencyContract extends CatalogFixture {
    private static final int CLIENTS = 6;
    private static final int CALLS = 60;
    /** The most tries of a call that a busy catalog refuses. */
    private static final int TRIES = 20;

    /** Opens other catalogs on the same data, as other coordinators do; the suite closes them. */
    protected List<Catalog> others() throws Exception {
        return List.of();
    }

    @Test
    void everyCallTakesEffectAtOneMoment() throws Exception {
        List<Catalog> others = others();
        List<Catalog> all = new ArrayList<>(others);
        all.add(catalog);
        try {
            for (long seed = 1; seed <= 5; seed++) {
                VolumeName volume = new VolumeName("seed-" + seed);
                catalog.createVolume(volume(volume.value(), S1, S2));
                History history = new History(volume);
                List<Callable<Boolean>> clients = new ArrayList<>();
                for (int client = 0; client < CLIENTS; client++) {
                    Catalog through = all.get(client % all.size());
                    SplittableRandom random = new SplittableRandom(seed * CLIENTS + client);
                    clients.add(() -> history.run(through, random));
                }
                assertThat(atOnce(clients)).isEqualTo(CLIENTS);
                history.check("seed " + seed);
            }
        } finally {
            others.forEach(Catalog::close);
        }
    }

    /** A call that can be made through any catalog. */
    @FunctionalInterface
    private interface Try {
        Object at(Catalog catalog) throws CloudMwException;
    }

    private record Answered(Try call, Object answer) {}

    /** The calls and observations of all clients of one volume. */
    private final class History {
        private final VolumeName volume;
        private final AtomicLong clock = new AtomicLong();
        private final Queue<Operation> operations = new ConcurrentLinkedQueue<>();
        private final Queue<Answered> answered = new ConcurrentLinkedQueue<>();

        History(VolumeName volume) {
            this.volume = volume;
        }

        boolean run(Catalog through, SplittableRandom random) throws Exception {
            for (int call = 0; call < CALLS; call++) {
                FilePath file = new FilePath(volume, "/d" + random.nextInt(3) + "/f" + random.nextInt(3));
                switch (random.nextInt(10)) {
                    case 0, 1 -> put(through, file, read(through, file));
                    case 2 -> remove(through, file);
                    case 8 -> note(through, file);
                    case 9 -> tryAgain(through, random);
                    case 3 -> rename(through, file, new FilePath(volume, "/d0/f" + random.nextInt(3)));
                    case 4 ->
                        rename(
                                through,
                                new FilePath(volume, "/d" + random.nextInt(3)),
                                new FilePath(volume, "/d" + random.nextInt(3)));
                    default -> read(through, file);
                }
            }
            return true;
        }

        private Optional<VersionId> read(Catalog through, FilePath file) throws CloudMwException {
            long began = clock.incrementAndGet();
            Optional<CurrentFile> found = through.file(file);
            Optional<VersionId> version = found.map(current -> current.version().id());
            OptionalLong notedAt =
                    found.map(current -> notedAt(current.attributes())).orElse(OptionalLong.empty());
            operations.add(Operation.read(file.path(), version, notedAt, began, clock.incrementAndGet()));
            return version;
        }

        private void put(Catalog through, FilePath file, Optional<VersionId> expected) throws Exception {
            FileVersion version = Versions.of(file, VersionId.random(), 0, clock.incrementAndGet());
            write(
                    version.committedAtMillis(),
                    "put of " + file,
                    () -> through.commit(new CommitRequest(version, expected, List.of())));
        }

        private void remove(Catalog through, FilePath file) throws Exception {
            long began = clock.incrementAndGet();
            ChangeRequest request = request(began);
            if (!write(began, "remove of " + file, () -> answer(through, at -> at.remove(file, request)))) {
                operations.add(Operation.read(file.path(), Optional.empty(), began, clock.incrementAndGet()));
            }
        }

        private void rename(Catalog through, FilePath from, FilePath to) throws Exception {
            if (!from.equals(to)) {
                long began = clock.incrementAndGet();
                Rename rename = new Rename(from, to, true);
                ChangeRequest request = request(began);
                boolean unused = write(
                        began,
                        "rename of " + from + " to " + to,
                        () -> answer(through, at -> at.rename(rename, request)));
            }
        }

        private void note(Catalog through, FilePath file) throws Exception {
            long began = clock.incrementAndGet();
            AttributeChange change = new AttributeChange(file, Map.of("k", String.valueOf(began)), Set.of());
            ChangeRequest request = request(began);
            if (!write(
                    began, "attributes of " + file, () -> answer(through, at -> at.setAttributes(change, request)))) {
                operations.add(Operation.read(file.path(), Optional.empty(), began, clock.incrementAndGet()));
            }
        }

        /** Returns the time that a file's attributes record: the start of the call that wrote them. */
        private OptionalLong notedAt(Attributes attributes) {
            return attributes.values().values().stream()
                    .mapToLong(Long::parseLong)
                    .findAny();
        }

        private ChangeRequest request(long began) {
            return new ChangeRequest(Optional.of(CallId.issuedAt(began)), began, () -> began);
        }

        /** Makes a call and keeps its answer, which a retry must return, too. */
        private Object answer(Catalog through, Try call) throws CloudMwException {
            Object answer = call.at(through);
            answered.add(new Answered(call, answer));
            return answer;
        }

        /** Makes a late retry of an answered call. A retry that changes something would add to the log. */
        private void tryAgain(Catalog through, SplittableRandom random) throws Exception {
            List<Answered> all = List.copyOf(answered);
            if (!all.isEmpty()) {
                Answered late = all.get(random.nextInt(all.size()));
                assertThat(repeated(() -> late.call().at(through))).isEqualTo(late.answer());
            }
        }

        /** Repeats a call, as clients do, while others keep a busy catalog from making it. */
        private Object repeated(Callable<?> call) throws Exception {
            for (int tries = 1; ; tries++) {
                try {
                    return call.call();
                } catch (CloudMwException e) {
                    if (e.code() != ErrorCode.OVERLOADED || tries == TRIES) {
                        throw e;
                    }
                }
            }
        }

        /** Makes a change, stamped with the unique time at which its call began. */
        private boolean write(long began, String what, Callable<?> call) throws Exception {
            boolean done = succeeds(
                    () -> repeated(call),
                    ErrorCode.CONFLICT,
                    ErrorCode.NOT_FOUND,
                    ErrorCode.ALREADY_EXISTS,
                    ErrorCode.NOT_EMPTY);
            if (done) {
                operations.add(
                        Operation.write(what, began, clock.incrementAndGet(), change -> change.atMillis() == began));
            }
            return done;
        }

        void check(String label) throws CloudMwException {
            List<Change> log =
                    catalog.changes().after(volume, 0, Catalog.MAX_PAGE).items();
            assertThat(ConsistencyCheck.violations(log, List.copyOf(operations)))
                    .as(label)
                    .isEmpty();
            assertThat(log).as(label).hasSizeGreaterThan(20);
            assertThat(operations.stream().filter(Operation::isWrite))
                    .as(label + ": each change is one that was acknowledged, and made once")
                    .hasSameSizeAs(log);
        }
    }
}
