package io.cloudmw.core.bulk;

import io.cloudmw.core.bulk.frame.FrameHeader;
import io.cloudmw.core.bulk.frame.FrameType;
import io.cloudmw.core.bulk.message.BulkWire;
import io.cloudmw.core.bulk.message.BulkWire.Greeting;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.wire.ProtocolVersion;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A peer that writes arbitrary bytes. */
final class RawPeer implements AutoCloseable {
    /** A frame as received. */
    @SuppressWarnings("ArrayRecordComponent")
    record Frame(int type, int stream, byte[] payload) {}

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    RawPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(20_000);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    static RawPeer connect(InetSocketAddress address) throws IOException {
        return new RawPeer(new Socket(address.getAddress(), address.getPort()));
    }

    /** Shakes hands like a client. */
    static RawPeer greeted(InetSocketAddress address) throws IOException {
        RawPeer peer = connect(address);
        peer.frame(FrameType.HELLO, 0, hello(1));
        if (peer.read().type() != FrameType.HELLO_ACK.code()) {
            throw new IOException("no HELLO_ACK");
        }
        return peer;
    }

    static byte[] hello(int major) {
        return hello(major, false);
    }

    static byte[] hello(int major, boolean interactive) {
        return BulkWire.hello(new Greeting(new ProtocolVersion(major, 0), "raw", "", 16, interactive));
    }

    static byte[] bytes(FrameType type, int stream, byte[] payload) {
        return bytes(
                FrameHeader.MAGIC,
                type.code(),
                0,
                stream,
                payload.length,
                Payloads.crc32c(payload, 0, payload.length),
                payload);
    }

    static byte[] bytes(int magic, int type, int flags, int stream, int length, int crc32c, byte[] payload) {
        return ByteBuffer.allocate(FrameHeader.BYTES + payload.length)
                .putShort((short) magic)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .putInt(length)
                .putInt(crc32c)
                .put(payload)
                .array();
    }

    static byte[] credit(long bytes) {
        return ByteBuffer.allocate(Long.BYTES).putLong(bytes).array();
    }

    RawPeer frame(FrameType type, int stream, byte[] payload) throws IOException {
        return raw(bytes(type, stream, payload));
    }

    RawPeer raw(byte[] bytes) throws IOException {
        out.write(bytes);
        return this;
    }

    void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    Frame read() throws IOException {
        in.readShort();
        int type = in.readByte();
        in.readByte();
        int stream = in.readInt();
        byte[] payload = new byte[in.readInt()];
        in.readInt();
        in.readFully(payload);
        return new Frame(type, stream, payload);
    }

    Frame read(FrameType type) throws IOException {
        while (true) {
            Frame frame = read();
            if (frame.type() == type.code()) {
                return frame;
            }
        }
    }

    /** Reads until the other side closes; returns the reason it sent, if any. */
    @Nullable
    CloudMwException awaitClosed() throws IOException {
        CloudMwException reason = null;
        try {
            while (true) {
                Frame frame = read();
                if (frame.type() == FrameType.RESET.code() && frame.stream() == 0) {
                    reason = BulkWire.readReset(frame.payload());
                }
            }
        } catch (EOFException | SocketException closed) {
            return reason;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
