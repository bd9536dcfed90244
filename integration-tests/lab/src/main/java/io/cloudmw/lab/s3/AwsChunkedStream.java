package io.cloudmw.lab.s3;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * The content of a body in S3's {@code aws-chunked} encoding: {@code <hex length>;chunk-signature=...\r\n<bytes>\r\n},
 * until a chunk of length 0; trailers after it are dropped.
 */
final class AwsChunkedStream extends FilterInputStream {
    private static final int MAX_LINE_BYTES = 8 << 10;

    private long left;
    private boolean first = true;
    private boolean ended;

    AwsChunkedStream(InputStream in) {
        super(in);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (left == 0 && !ended) {
            nextChunk();
        }
        if (ended) {
            return -1;
        }
        int read = in.read(target, offset, (int) Math.min(length, left));
        if (read < 0) {
            throw new EOFException("the body ended inside a chunk");
        }
        left -= read;
        return read;
    }

    private void nextChunk() throws IOException {
        if (!first && !line().isEmpty()) {
            throw new IOException("a chunk is longer than its stated length");
        }
        first = false;
        String length = line().split(";", 2)[0].strip();
        try {
            left = Long.parseLong(length, 16);
        } catch (NumberFormatException e) {
            throw new IOException("chunk length: \"" + length + "\"", e);
        }
        if (left == 0) {
            ended = true;
            in.transferTo(OutputStream.nullOutputStream());
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0 || line.length() > MAX_LINE_BYTES) {
                throw new EOFException("the body ended inside a chunk's head");
            }
            if (b != '\r') {
                line.append((char) b);
            }
        }
        return line.toString();
    }
}
