package io.cloudmw.hadoop.stream;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * The buffers of a vectored read, made and taken back by the application.
 *
 * @param allocating makes a buffer of so many bytes
 * @param releasing takes back a buffer whose read has failed
 */
record RangeBuffers(IntFunction<ByteBuffer> allocating, Consumer<ByteBuffer> releasing) {
    /** A buffer with room for exactly so many bytes. */
    ByteBuffer allocate(int bytes) {
        ByteBuffer buffer = allocating.apply(bytes);
        buffer.limit(buffer.position() + bytes);
        return buffer;
    }

    void release(ByteBuffer buffer) {
        releasing.accept(buffer);
    }
}
