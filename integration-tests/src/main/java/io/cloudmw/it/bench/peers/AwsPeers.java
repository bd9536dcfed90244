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
 * The AWS SDK: a plain GetObject, and its transfer manager on the Java multipart client and on the CRT, each with its
 * defaults but for the endpoint. They read the whole file as one object of one bucket; the transfer managers write it to
 * a file, which is what they are for, and the lab caps their connections instead of their destination.
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

    /** The lab's own endpoint takes any. */
    private static AwsCredentialsProvider credentials() {
        return System.getenv("AWS_ACCESS_KEY_ID") == null
                ? StaticCredentialsProvider.create(AwsBasicCredentials.create("lab", "laboratory"))
                : DefaultCredentialsProvider.builder().build();
    }
}
