package io.cloudmw.it.bench.peers;

import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.lab.race.Contender;
import io.cloudmw.lab.race.LabFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.transfer.s3.S3TransferManager;

/** A contender that downloads into an existing file, since memory for a new file costs more than the transfer. */
final class TransferManagerDownload implements Contender {
    private final String name;
    private final S3AsyncClient client;
    private final S3TransferManager manager;
    private final String bucket;
    private final Path target;

    TransferManagerDownload(String name, S3AsyncClient client, S3TransferManager manager, String bucket, Path target) {
        this.name = name;
        this.client = client;
        this.manager = manager;
        this.bucket = bucket;
        this.target = target;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean usesDestination() {
        return false;
    }

    @Override
    public void read(LabFile file, PositionalTarget destination) throws Exception {
        var unused = manager.downloadFile(download -> download.destination(target)
                        .getObjectRequest(request -> request.bucket(bucket).key(file.object())))
                .completionFuture()
                .get();
        if (Files.size(target) != file.bytes()) {
            throw new IllegalStateException(Files.size(target) + " bytes (expected: " + file.bytes() + ")");
        }
    }

    @Override
    public void close() {
        manager.close();
        client.close();
        try {
            Files.deleteIfExists(target);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
