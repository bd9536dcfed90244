package io.cloudmw.core.testing.store;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.ForwardingChunkStore;
import io.cloudmw.core.store.PutOutcome;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A store that fails, corrupts and stalls by a script. Safe for any thread. */
public final class FaultyChunkStore extends ForwardingChunkStore {
    /** The fault of one read or put; {@code at} counts bytes from the start of the range. */
    public record Fault(Kind kind, long at, ErrorCode code) {
        /** The kinds of faults. */
        public enum Kind {
            NONE,
            /** The call fails at once. */
            FAIL,
            /** The stream fails when it gets to {@code at}; a put fails after the store has written. */
            FAIL_AT,
            /** The byte at {@code at} is flipped. */
            CORRUPT,
            /** The stream stalls from {@code at} on, until the reader is closed. */
            STALL
        }

        public static final Fault NONE = new Fault(Kind.NONE, 0, ErrorCode.INTERNAL);

        public static Fault fail(ErrorCode code) {
            return new Fault(Kind.FAIL, 0, code);
        }

        public static Fault failAt(long at, ErrorCode code) {
            return new Fault(Kind.FAIL_AT, at, code);
        }

        public static Fault corrupt(long at) {
            return new Fault(Kind.CORRUPT, at, ErrorCode.INTERNAL);
        }

        public static Fault stallAt(long at) {
            return new Fault(Kind.STALL, at, ErrorCode.INTERNAL);
        }
    }

    /** The script of faults. Called by any thread. */
    @FunctionalInterface
    public interface Script {
        /**
         * The fault of the next read or put.
         *
         * @param call counts reads and puts from 0
         * @param length of the range or chunk
         */
        Fault next(int call, ChunkId chunk, long length);

        /** A script without faults. */
        static Script none() {
            return (call, chunk, length) -> Fault.NONE;
        }

        /** A script with the same fault every time. */
        static Script always(Fault fault) {
            return (call, chunk, length) -> fault;
        }

        /** A fault with the given probability, of any kind but a stall, drawn from a seed and the call's number. */
        static Script random(long seed, double probability) {
            return (call, chunk, length) -> {
                Random random = new Random(seed * 31 + call);
                if (random.nextDouble() >= probability) {
                    return Fault.NONE;
                }
                long at = length == 0 ? 0 : (long) (random.nextDouble() * length);
                return switch (random.nextInt(3)) {
                    case 0 -> Fault.fail(ErrorCode.STORE_UNAVAILABLE);
                    case 1 -> Fault.failAt(at, ErrorCode.STORE_UNAVAILABLE);
                    default -> Fault.corrupt(at);
                };
            };
        }
    }

    private final Script script;
    private final AtomicInteger calls = new AtomicInteger();

    public FaultyChunkStore(ChunkStore store, Script script) {
        super(store);
        this.script = script;
    }

    @Override
    protected ChunkReader opened(ChunkId chunk, ByteRange range, Opening opening) throws CloudMwException {
        Fault fault = script.next(calls.getAndIncrement(), chunk, range.length());
        if (fault.kind() == Fault.Kind.FAIL) {
            throw scripted(fault, chunk);
        }
        ChunkReader reader = opening.open();
        return fault.kind() == Fault.Kind.NONE ? reader : new FaultyReader(reader, fault, chunk);
    }

    @Override
    public PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException {
        Fault fault = script.next(calls.getAndIncrement(), chunk, source.length());
        if (fault.kind() == Fault.Kind.FAIL) {
            throw scripted(fault, chunk);
        }
        PutOutcome outcome = super.put(chunk, source);
        if (fault.kind() == Fault.Kind.FAIL_AT) {
            throw scripted(fault, chunk);
        }
        return outcome;
    }

    private CloudMwException scripted(Fault fault, ChunkId chunk) {
        return new CloudMwException(fault.code(), "chunk=" + chunk + " store=" + id() + ": scripted " + fault);
    }

    private final class FaultyReader implements ChunkReader {
        private final ChunkReader reader;
        private final Fault fault;
        private final ChunkId chunk;
        private final CountDownLatch closed = new CountDownLatch(1);
        private long position;

        FaultyReader(ChunkReader reader, Fault fault, ChunkId chunk) {
            this.reader = reader;
            this.fault = fault;
            this.chunk = chunk;
        }

        @Override
        public int read(ByteBuffer target) throws CloudMwException {
            boolean corrupts = fault.kind() == Fault.Kind.CORRUPT;
            if (position == fault.at() && !corrupts) {
                happen();
            }
            int limit = target.limit();
            int start = target.position();
            if (!corrupts && position < fault.at()) {
                target.limit((int) Math.min(limit, start + (fault.at() - position)));
            }
            try {
                int read = reader.read(target);
                if (corrupts && fault.at() >= position && fault.at() < position + read) {
                    int index = start + (int) (fault.at() - position);
                    target.put(index, (byte) (target.get(index) ^ 1));
                }
                position += Math.max(0, read);
                return read;
            } finally {
                target.limit(limit);
            }
        }

        @Override
        public void close() {
            reader.close();
            closed.countDown();
        }

        private void happen() throws CloudMwException {
            if (fault.kind() == Fault.Kind.FAIL_AT) {
                throw scripted(fault, chunk);
            }
            try {
                closed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new CloudMwException(ErrorCode.CANCELLED, "chunk=" + chunk + " store=" + id() + ": cancelled");
        }
    }
}
