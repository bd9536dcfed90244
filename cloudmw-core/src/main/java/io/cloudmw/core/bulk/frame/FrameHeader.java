package io.cloudmw.core.bulk.frame;

import io.netty.buffer.ByteBuf;

/**
 * The fixed head of every frame, big-endian: magic (2 bytes), type (1), flags (1), stream (4), payload length (4),
 * CRC32C of the payload (4).
 */
public record FrameHeader(FrameType type, int stream, int length, int crc32c) {
    /** Bytes of a header. */
    public static final int BYTES = 16;

    /** "CM". */
    public static final int MAGIC = 0x434D;

    public void write(ByteBuf target) {
        target.writeShort(MAGIC);
        target.writeByte(type.code());
        target.writeByte(0);
        target.writeInt(stream);
        target.writeInt(length);
        target.writeInt(crc32c);
    }

    /** Reads {@link #BYTES} bytes and checks all that does not depend on the connection. */
    public static FrameHeader read(ByteBuf source, int maxDataBytes) throws ViolationException {
        int magic = source.readUnsignedShort();
        if (magic != MAGIC) {
            throw new ViolationException(BulkViolation.BAD_MAGIC, "0x" + Integer.toHexString(magic));
        }
        int code = source.readUnsignedByte();
        FrameType type = FrameType.of(code);
        if (type == null) {
            throw new ViolationException(BulkViolation.BAD_TYPE, "type: " + code);
        }
        int flags = source.readUnsignedByte();
        if (flags != 0) {
            throw new ViolationException(BulkViolation.BAD_FLAGS, type + " with flags 0x" + Integer.toHexString(flags));
        }
        int stream = source.readInt();
        // Only a reset may name either a stream or, with 0, the connection.
        if (stream < 0 || (type != FrameType.RESET && type.ofConnection() != (stream == 0))) {
            throw new ViolationException(BulkViolation.BAD_STREAM, type + " on stream " + stream);
        }
        int length = source.readInt();
        if (!type.allows(length) || (type == FrameType.DATA && length > maxDataBytes)) {
            throw new ViolationException(BulkViolation.BAD_LENGTH, type + " of " + length + " bytes");
        }
        return new FrameHeader(type, stream, length, source.readInt());
    }
}
