package io.cloudmw.it.hostile;

import com.google.protobuf.ByteString;
import io.cloudmw.core.bulk.frame.FrameHeader;
import io.cloudmw.core.bulk.frame.FrameType;
import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32C;

/** A frame of the bulk plane, as an attacker sends it. */
record WireFrame(FrameType type, int stream, ByteString payload) {
    static WireFrame of(FrameType type, int stream) {
        return new WireFrame(type, stream, ByteString.EMPTY);
    }

    static WireFrame credit(int stream, long bytes) {
        byte[] payload = new byte[Long.BYTES];
        for (int i = 0; i < Long.BYTES; i++) {
            payload[i] = (byte) (bytes >>> (Long.SIZE - Byte.SIZE * (i + 1)));
        }
        return new WireFrame(FrameType.CREDIT, stream, ByteString.copyFrom(payload));
    }

    WireFrame with(ByteString other) {
        return new WireFrame(type, stream, other);
    }

    WireFrame onStream(int other) {
        return new WireFrame(type, other, payload);
    }

    /** Appends the frame, encoded by the product. */
    void write(ByteBuf target) {
        byte[] bytes = payload.toByteArray();
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        new FrameHeader(type, stream, bytes.length, (int) crc.getValue()).write(target);
        target.writeBytes(bytes);
    }
}
