package io.cloudmw.core.model.volume;

import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A change of a volume; settings that it does not name stay. Chunk and leaf sizes apply to versions written after the
 * change.
 *
 * @param volume its name
 * @param generation the generation the volume must have; 0: any
 */
public record VolumeChange(
        VolumeName volume, long generation, Members stores, Copying copying, Cutting cutting, Reading reading) {
    /** The stores that join the volume and those that leave it. */
    public record Members(Set<StoreId> added, Set<StoreId> removed) {
        public Members {
            added = Set.copyOf(added);
            removed = Set.copyOf(removed);
            if (added.stream().anyMatch(removed::contains)) {
                throw new IllegalArgumentException("stores: one is both to join and to leave the volume");
            }
        }

        boolean isEmpty() {
            return added.isEmpty() && removed.isEmpty();
        }
    }

    /** The number of replicas of a chunk, and how many must be durable when a write is acknowledged. */
    public record Copying(OptionalInt replicas, OptionalInt writeQuorum) {
        boolean isEmpty() {
            return replicas.isEmpty() && writeQuorum.isEmpty();
        }
    }

    /** The cutting of files: by size or into a number of chunks, and into leaves. */
    public record Cutting(OptionalLong chunkSizeBytes, OptionalInt chunks, OptionalInt leafSizeBytes) {
        public Cutting {
            if (chunkSizeBytes.isPresent() && chunks.isPresent()) {
                throw new IllegalArgumentException("chunk size and number of chunks: only one of the two");
            }
        }

        boolean isEmpty() {
            return chunkSizeBytes.isEmpty() && chunks.isEmpty() && leafSizeBytes.isEmpty();
        }

        /** A volume's chunking after the change. */
        public Chunking of(Chunking before) {
            int leaf = leafSizeBytes.orElse(before.leafSizeBytes());
            if (chunks.isPresent()) {
                return new Chunking.ByCount(chunks.getAsInt(), leaf);
            }
            if (chunkSizeBytes.isPresent()) {
                return new Chunking.BySize(chunkSizeBytes.getAsLong(), leaf);
            }
            return before instanceof Chunking.BySize size
                    ? new Chunking.BySize(size.bytes(), leaf)
                    : new Chunking.ByCount(((Chunking.ByCount) before).chunks(), leaf);
        }
    }

    /**
     * The settings for reads.
     *
     * @param target empty: unchanged; an empty target: none
     */
    public record Reading(Optional<Mode> mode, Optional<Optional<ReadTarget>> target, Optional<Boolean> peers) {
        boolean isEmpty() {
            return mode.isEmpty() && target.isEmpty() && peers.isEmpty();
        }
    }

    public VolumeChange {
        if (generation < 0) {
            throw new IllegalArgumentException("generation: " + generation + " (expected: >= 0)");
        }
    }

    /** A builder for a change of this volume, which so far changes nothing. */
    public static Builder of(VolumeName volume) {
        return new Builder(volume);
    }

    /** Returns whether it changes nothing, whatever the volume is. */
    public boolean isEmpty() {
        return stores.isEmpty() && copying.isEmpty() && cutting.isEmpty() && reading.isEmpty();
    }

    /** The builder of a change. Confined to one thread. */
    public static final class Builder {
        private final VolumeName volume;
        private final Set<StoreId> added = new LinkedHashSet<>();
        private final Set<StoreId> removed = new LinkedHashSet<>();
        private long generation;
        private OptionalInt replicas = OptionalInt.empty();
        private OptionalInt writeQuorum = OptionalInt.empty();
        private OptionalLong chunkSizeBytes = OptionalLong.empty();
        private OptionalInt chunks = OptionalInt.empty();
        private OptionalInt leafSizeBytes = OptionalInt.empty();
        private Optional<Mode> mode = Optional.empty();
        private Optional<Optional<ReadTarget>> target = Optional.empty();
        private Optional<Boolean> peers = Optional.empty();

        private Builder(VolumeName volume) {
            this.volume = volume;
        }

        /** Lets the change take effect only while the volume has this generation. */
        public Builder atGeneration(long expected) {
            generation = expected;
            return this;
        }

        /** Adds a store to the volume. */
        public Builder addStore(StoreId store) {
            added.add(store);
            return this;
        }

        /** Removes a store from the volume; its copies move to others first. */
        public Builder removeStore(StoreId store) {
            removed.add(store);
            return this;
        }

        /** Sets the number of replicas of each chunk. */
        public Builder replicas(int count) {
            replicas = OptionalInt.of(count);
            return this;
        }

        /** Sets the number of replicas that a put waits for. */
        public Builder writeQuorum(int count) {
            writeQuorum = OptionalInt.of(count);
            return this;
        }

        /** Cuts new files into chunks of this size. */
        public Builder chunkSizeBytes(long bytes) {
            chunkSizeBytes = OptionalLong.of(bytes);
            return this;
        }

        /** Cuts new files into this number of chunks. */
        public Builder chunks(int count) {
            chunks = OptionalInt.of(count);
            return this;
        }

        /** Sets the size of leaves of new files. */
        public Builder leafSizeBytes(int bytes) {
            leafSizeBytes = OptionalInt.of(bytes);
            return this;
        }

        /** Sets the mode of reads. */
        public Builder mode(Mode chosen) {
            mode = Optional.of(chosen);
            return this;
        }

        /** Sets the target for reads; empty: none. */
        public Builder target(Optional<ReadTarget> promised) {
            target = Optional.of(promised);
            return this;
        }

        /** Sets whether clients may serve chunks of the volume to each other. */
        public Builder peers(boolean allowed) {
            peers = Optional.of(allowed);
            return this;
        }

        /**
         * Builds the change.
         *
         * @throws IllegalArgumentException when its parts contradict each other
         */
        public VolumeChange build() {
            return new VolumeChange(
                    volume,
                    generation,
                    new Members(added, removed),
                    new Copying(replicas, writeQuorum),
                    new Cutting(chunkSizeBytes, chunks, leafSizeBytes),
                    new Reading(mode, target, peers));
        }
    }
}
