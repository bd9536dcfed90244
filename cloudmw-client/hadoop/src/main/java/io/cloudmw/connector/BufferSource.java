package io.cloudmw.connector;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * The buffers of a read of ranges, made and taken back by the application.
 *
 * @param allocating makes a buffer of so many bytes, or of more
 * @param releasing takes back a buffer whose read has failed
 */
public record BufferSource(IntFunction<ByteBuffer> allocating, Consumer<ByteBuffer> releasing) {
    /** A buffer with room for exactly so many bytes, from its position 0 on. */
    ByteBuffer allocate(int bytes) {
        return allocating.apply(bytes).clear().limit(bytes);
    }

    void release(ByteBuffer buffer) {
        releasing.accept(buffer);
    }
}
