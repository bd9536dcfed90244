package io.cloudmw.it.bench.peers;

import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.lab.race.Contender;
import io.cloudmw.lab.race.LabFile;
import java.io.InputStream;
import java.nio.ByteBuffer;
import software.amazon.awssdk.services.s3.S3Client;

/** A contender that reads by one request on one connection. */
final class PlainGet implements Contender {
    private static final int BUFFER_BYTES = 128 << 10;

    private final S3Client client;
    private final String bucket;

    PlainGet(S3Client client, String bucket) {
        this.client = client;
        this.bucket = bucket;
    }

    @Override
    public String name() {
        return "s3-get-object";
    }

    @Override
    public void read(LabFile file, PositionalTarget destination) throws Exception {
        byte[] buffer = new byte[BUFFER_BYTES];
        long at = 0;
        try (InputStream in = client.getObject(request -> request.bucket(bucket).key(file.object()))) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                destination.write(at, ByteBuffer.wrap(buffer, 0, read));
                at += read;
            }
        }
        if (at != file.bytes()) {
            throw new IllegalStateException(at + " bytes (expected: " + file.bytes() + ")");
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
