package io.cloudmw.it.bench.peers;

import io.cloudmw.lab.race.Contender;
import io.cloudmw.lab.race.ContenderProvider;
import io.cloudmw.lab.race.LabFile;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.transfer.s3.S3TransferManager;

/**
 * The contenders of the AWS SDK: a plain GetObject, and the transfer manager on the Java multipart client and on the
 * CRT. All settings but the endpoint are defaults. They read the file as one object in one bucket. The transfer
 * managers write to a file, as they are meant to; the lab caps the speed of their connections instead of the
 * destination's.
 */
public final class AwsPeers implements ContenderProvider {
    @Override
    public List<Contender> open(String endpoint, String bucket, List<LabFile> files) throws Exception {
        URI uri = URI.create(endpoint);
        AwsCredentialsProvider credentials = credentials();
        S3Client plain = S3Client.builder()
                .endpointOverride(uri)
                .region(Region.US_EAST_1)
                .credentialsProvider(credentials)
                .forcePathStyle(true)
                .build();
        for (LabFile file : files) {
            plain.putObject(request -> request.bucket(bucket).key(file.object()), RequestBody.fromFile(file.source()));
        }
        S3AsyncClient java = S3AsyncClient.builder()
                .endpointOverride(uri)
                .region(Region.US_EAST_1)
                .credentialsProvider(credentials)
                .forcePathStyle(true)
                .multipartEnabled(true)
                .build();
        S3AsyncClient crt = S3AsyncClient.crtBuilder()
                .endpointOverride(uri)
                .region(Region.US_EAST_1)
                .credentialsProvider(credentials)
                .forcePathStyle(true)
                .build();
        Path target = Files.createTempFile("cloudmw-lab-", ".peer");
        return List.of(
                new PlainGet(plain, bucket),
                new TransferManagerDownload("s3-tm-java", java, manager(java), bucket, target),
                new TransferManagerDownload("s3-tm-crt", crt, manager(crt), bucket, target));
    }

    private static S3TransferManager manager(S3AsyncClient client) {
        return S3TransferManager.builder().s3Client(client).build();
    }

    /** Returns credentials. The lab's own endpoint accepts any. */
    private static AwsCredentialsProvider credentials() {
        return System.getenv("AWS_ACCESS_KEY_ID") == null
                ? StaticCredentialsProvider.create(AwsBasicCredentials.create("lab", "laboratory"))
                : DefaultCredentialsProvider.builder().build();
    }
}
