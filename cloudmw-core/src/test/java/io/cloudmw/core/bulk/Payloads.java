package io.cloudmw.core.bulk;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** The payloads of tests. */
final class Payloads {
    private Payloads() {}

    static byte[] random(long seed, int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    static int crc32c(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    static ByteBuf direct(ByteBufAllocator allocator, byte[] bytes, int offset, int length) {
        return allocator.directBuffer(length, length).writeBytes(bytes, offset, length);
    }
}
