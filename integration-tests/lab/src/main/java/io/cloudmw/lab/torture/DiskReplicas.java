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
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copies of chunks on the disks, as files, independent of the catalog. Can check and damage them. Safe for any
 * thread.
 */
final class DiskReplicas {
    private static final Logger log = LoggerFactory.getLogger(DiskReplicas.class);

    /** Tries of a call; each waits several seconds for the coordinator. */
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
     * Returns whether each chunk of a version had a good copy in one of these stores before a given time.
     *
     * @param sinceMillis civil time; later copies, for instance by repair, do not count
     * @return false also when the coordinator no longer knows the version or does not answer
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
                                .anyMatch(store -> stores.test(store) && isOlder(replica(store, chunk), sinceMillis)));
    }

    private Optional<List<Chunk>> located(FilePath file, Kept kept) throws InterruptedException {
        Optional<List<Chunk>> chunks = fleet.locate(file, kept.version());
        for (int i = 1; i < TRIES && chunks.isEmpty(); i++) {
            chunks = fleet.locate(file, kept.version());
        }
        return chunks;
    }

    /** Returns the stores in the chunk's current placement whose copy has the written bytes. */
    private Stream<String> good(Chunk chunk, Content content) {
        return chunk.replicas().stream()
                .map(StoreId::value)
                .filter(store -> isGood(replica(store, chunk), content, chunk));
    }

    /** Returns the file of a chunk; that of a small file's chunk has the whole pack. */
    private Path replica(String store, Chunk chunk) {
        return fleet.replica(store, chunk.id().stored());
    }

    private static boolean isGood(Path replica, Content content, Chunk chunk) {
        try {
            byte[] found = Files.readAllBytes(replica);
            Optional<ByteRange> slice = chunk.id().slice();
            if (slice.isPresent() && found.length >= slice.get().end()) {
                found = Arrays.copyOfRange(
                        found, (int) slice.get().offset(), (int) slice.get().end());
            }
            return found.length == chunk.range().length()
                    && content.matches(chunk.range().offset(), found);
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns whether all copies of a chunk are the same: those of a pack may differ in the bytes of another file. */
    private boolean areSame(Chunk chunk, List<String> stores) throws IOException {
        for (String store : stores) {
            if (Files.mismatch(replica(stores.get(0), chunk), replica(store, chunk)) >= 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean isOlder(Path replica, long sinceMillis) {
        try {
            return Files.getLastModifiedTime(replica).toMillis() < sinceMillis;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Damages one copy of a random chunk of a version. Does nothing if a copy is damaged or missing already, so that as
     * many good copies remain as the acknowledged put guaranteed.
     *
     * @return a description of the damaged copy, if any
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
            if (!areSame(chunk, good)) {
                return Optional.empty();
            }
            harm.doTo(replica(store, chunk), random);
            return Optional.of(chunk.id() + " in " + store);
        } catch (IOException e) {
            log.debug("cannot damage {} in {}", chunk.id(), store, e);
            return Optional.empty();
        }
    }
}
