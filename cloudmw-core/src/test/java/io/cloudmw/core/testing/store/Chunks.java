package io.cloudmw.core.testing.store;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.util.Random;

/** Made-up chunks for tests. */
public final class Chunks {
    private Chunks() {}

    /** A chunk id that no other chunk has. */
    public static ChunkId id() {
        return new ChunkId(VersionId.random(), 7);
    }

    /** {@code length} bytes that look like noise and depend on {@code seed} only. */
    public static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    public static ChunkSource source(byte[] bytes) {
        return source(bytes, bytes.length);
    }

    /** A source that claims {@code length}, whatever it gives. */
    public static ChunkSource source(byte[] bytes, long length) {
        return new ChunkSource() {
            @Override
            public long length() {
                return length;
            }

            @Override
            public InputStream open() {
                return new ByteArrayInputStream(bytes);
            }
        };
    }

    /** A source that claims {@code length} and breaks after {@code bytes}. */
    public static ChunkSource brokenSource(byte[] bytes, long length) {
        return new ChunkSource() {
            @Override
            public long length() {
                return length;
            }

            @Override
            public InputStream open() {
                return new SequenceInputStream(new ByteArrayInputStream(bytes), new InputStream() {
                    @Override
                    public int read() throws IOException {
                        throw new IOException("the source broke");
                    }

                    @Override
                    public int read(byte[] target, int offset, int count) throws IOException {
                        throw new IOException("the source broke");
                    }
                });
            }
        };
    }

    /** A whole range of a chunk. */
    public static byte[] read(ChunkStore store, ChunkId chunk, long offset, long length) throws IOException {
        try (ChunkReader reader = store.read(chunk, new ByteRange(offset, length))) {
            return readAll(reader);
        }
    }

    public static byte[] readAll(ChunkReader reader) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer piece = ByteBuffer.allocate(10_000);
        while (reader.read(piece.clear()) >= 0) {
            all.write(piece.array(), 0, piece.position());
        }
        return all.toByteArray();
    }
}
