package io.cloudmw.lab.torture;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.lab.torture.model.Content;
import io.cloudmw.lab.torture.model.Kept;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at, and harms, the copies on the disks: what they really hold, whatever the catalog believes. Any thread. */
final class DiskReplicas {
    private static final Logger log = LoggerFactory.getLogger(DiskReplicas.class);

    /** Each waits for the coordinator for some seconds. */
    private static final int TRIES = 10;

    private final TortureFleet fleet;

    DiskReplicas(TortureFleet fleet) {
        this.fleet = fleet;
    }

    /** The kinds of damage to a replica. */
    enum Harm {
        DELETE,
        FLIP_BIT,
        TRUNCATE;

        private void doTo(Path replica, RandomGenerator random) throws IOException {
            if (this == DELETE) {
                Files.delete(replica);
                return;
            }
            try (FileChannel file = FileChannel.open(replica, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                long at = random.nextLong(file.size());
                if (this == TRUNCATE) {
                    file.truncate(at);
                    return;
                }
                ByteBuffer one = ByteBuffer.allocate(1);
                file.read(one, at);
                one.put(0, (byte) (one.get(0) ^ (1 << random.nextInt(Byte.SIZE))))
                        .rewind();
                file.write(one, at);
            }
        }
    }

    /**
     * Whether each chunk of the version has a good copy in one of these stores, which was there before.
     *
     * @param sinceMillis civil time: a copy that was made later, by repair for instance, does not count
     * @return false also when the coordinator knows nothing of the version any more, or does not answer
     */
    boolean wasReadable(FilePath file, Kept kept, Predicate<String> stores, long sinceMillis)
            throws InterruptedException {
        if (kept.content().sizeBytes() == 0) {
            return true;
        }
        Optional<List<Chunk>> chunks = located(file, kept);
        return chunks.isPresent()
                && chunks.get().stream()
                        .allMatch(chunk -> good(chunk, kept.content())
                                .anyMatch(store ->
                                        stores.test(store) && isOlder(fleet.replica(store, chunk.id()), sinceMillis)));
    }

    private Optional<List<Chunk>> located(FilePath file, Kept kept) throws InterruptedException {
        Optional<List<Chunk>> chunks = fleet.locate(file, kept.version());
        for (int i = 1; i < TRIES && chunks.isEmpty(); i++) {
            chunks = fleet.locate(file, kept.version());
        }
        return chunks;
    }

    /** Of the stores that ought to have this chunk now those that have it as it was written. */
    private Stream<String> good(Chunk chunk, Content content) {
        return chunk.replicas().stream()
                .map(StoreId::value)
                .filter(store -> isGood(fleet.replica(store, chunk.id()), content, chunk.range()));
    }

    private static boolean isGood(Path replica, Content content, ByteRange range) {
        try {
            byte[] found = Files.readAllBytes(replica);
            return found.length == range.length() && content.matches(range.offset(), found);
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isOlder(Path replica, long sinceMillis) {
        try {
            return Files.getLastModifiedTime(replica).toMillis() < sinceMillis;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Harms one copy of one chunk of a version, unless one is harmed already, or wanting: of what was acknowledged as many good
     * copies are left as then.
     *
     * @return which, if any
     */
    Optional<String> harm(FilePath file, Kept kept, Harm harm, RandomGenerator random) throws InterruptedException {
        Optional<List<Chunk>> chunks =
                kept.content().sizeBytes() == 0 ? Optional.empty() : fleet.locate(file, kept.version());
        if (chunks.isEmpty()) {
            return Optional.empty();
        }
        Chunk chunk = chunks.get().get(random.nextInt(chunks.get().size()));
        List<String> good = good(chunk, kept.content()).toList();
        if (good.size() <= TortureSettings.WRITE_QUORUM
                || good.size() < chunk.replicas().size()) {
            return Optional.empty();
        }
        String store = good.get(random.nextInt(good.size()));
        try {
            harm.doTo(fleet.replica(store, chunk.id()), random);
            return Optional.of(chunk.id() + " in " + store);
        } catch (IOException e) {
            log.debug("not harmed: {} in {}", chunk.id(), store, e);
            return Optional.empty();
        }
    }
}
