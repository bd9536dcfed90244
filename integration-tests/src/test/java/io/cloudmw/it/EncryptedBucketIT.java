package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.s3.S3Settings;
import io.cloudmw.core.store.s3.S3Stores;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.it.localstack.LocalStack;
import io.cloudmw.it.localstack.LocalStackExtension;
import io.cloudmw.lab.fleet.LocalFleet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Objects that are encrypted at rest with keys of KMS, on LocalStack. */
@ExtendWith(LocalStackExtension.class)
final class EncryptedBucketIT {
    private static final String REGION = "us-east-1";
    private static final Duration LONG = Duration.ofMinutes(1);

    private final LocalStack localStack;
    private final String bucket = "encrypted-" + UUID.randomUUID();

    @TempDir
    private Path directory;

    EncryptedBucketIT(LocalStack localStack) {
        this.localStack = localStack;
    }

    private LocalFleet fleet() throws IOException {
        LocalFleet fleet = Fleet.withCredentials(directory.resolve("fleet"), localStack.environment());
        fleet.startCoordinator(Map.of());
        fleet.startHelper("helper-1", Map.of());
        return fleet;
    }

    private CommandLine.Result add(CommandLine cli, String... encryption) {
        List<String> arguments = new ArrayList<>(List.of(
                "store",
                "add",
                "vault",
                "s3://" + bucket + "/p",
                "--region",
                REGION,
                "--path-style",
                "--endpoint",
                localStack.endpoint().toString()));
        arguments.addAll(List.of(encryption));
        return cli.run(arguments.toArray(String[]::new));
    }

    private List<HeadObjectResponse> objects(String prefix) {
        try (S3Client s3 = localStack.s3(REGION)) {
            return s3.listObjectsV2(request -> request.bucket(bucket).prefix(prefix)).contents().stream()
                    .map(S3Object::key)
                    .map(key -> s3.headObject(request -> request.bucket(bucket).key(key)))
                    .toList();
        }
    }

    @Test
    void chunksAreEncryptedWithTheKeyOfTheStoreUntilItIsChanged() throws Exception {
        localStack.createBucket(bucket, REGION);
        String key = localStack.createKmsKey(REGION);
        byte[] bytes = new byte[3 << 20];
        new SplittableRandom(1).nextBytes(bytes);
        Path source = Files.write(directory.resolve("source"), bytes);
        try (LocalFleet fleet = fleet()) {
            CommandLine cli = new CommandLine(fleet.coordinatorAddress());
            CommandLine.Result added = add(cli, "--sse", "aws:kms", "--kms-key", key, "--bucket-key");
            assertThat(added.exitCode()).as(added.toString()).isZero();
            JsonNode store = cli.run("store", "ls", "--json")
                    .orThrow()
                    .json()
                    .path("stores")
                    .path(0);
            assertThat(store.path("sse").asText()).isEqualTo("aws:kms");
            assertThat(store.path("kms_key").asText()).isEqualTo(key);
            assertThat(store.path("bucket_key").asBoolean()).isTrue();
            assertThat(cli.run("store", "ls").orThrow().out()).contains("sse=aws:kms kms-key=" + key + " bucket-key");
            cli.run("volume", "create", "v", "--store", "vault", "--replicas", "1")
                    .orThrow();
            cli.run("put", source.toString(), "v:/first").orThrow();

            List<HeadObjectResponse> first = objects("p/");
            assertThat(first).hasSizeGreaterThanOrEqualTo(2).allSatisfy(object -> {
                assertThat(object.serverSideEncryptionAsString()).isEqualTo("aws:kms");
                assertThat(object.ssekmsKeyId()).isEqualTo(key);
                assertThat(object.bucketKeyEnabled()).isTrue();
            });
            cli.run("store", "set", "vault", "--sse", "AES256").orThrow();
            assertThat(cli.run("store", "ls").orThrow().out())
                    .contains("sse=AES256")
                    .doesNotContain(key);
            Path back = directory.resolve("back");
            cli.run("get", "v:/first", back.toString()).orThrow();
            assertThat(back).hasBinaryContent(bytes);
        }
    }

    @Test
    void storeWithAKeyThatDoesNotExistIsRefused() throws Exception {
        localStack.createBucket(bucket, REGION);
        String missing = "arn:aws:kms:" + REGION + ":000000000000:key/" + UUID.randomUUID();
        try (LocalFleet fleet = fleet()) {
            CommandLine cli = new CommandLine(fleet.coordinatorAddress());
            CommandLine.Result refused = add(cli, "--sse", "aws:kms", "--kms-key", missing);
            assertThat(refused.exitCode()).as(refused.toString()).isEqualTo(8);
            assertThat(refused.err()).contains("KMS key " + missing + " cannot be used: 400 KMS.NotFoundException");
            assertThat(cli.run("store", "ls").orThrow().out()).doesNotContain("vault");
            assertThat(add(cli, "--kms-key", missing).err()).contains("--kms-key: given without --sse aws:kms");
        }
    }

    @Test
    void disabledKeyIsNamedByPutsAndByTheCheck() throws Exception {
        localStack.createBucket(bucket, REGION);
        String key = localStack.createKmsKey(REGION);
        Store store = new Store(
                        new StoreId("vault"),
                        REGION,
                        new Store.S3(bucket, REGION, localStack.endpoint().toString(), true, "p/"))
                .with(BucketEncryption.kms(key, false));
        try (S3Stores stores =
                        S3Stores.open(S3Settings.DEFAULT, LocalStack.ACCESS_KEY_ID, LocalStack.SECRET_ACCESS_KEY);
                ChunkStore opened = stores.open(store)) {
            assertThat(stores.probe(store, LONG).fault()).isEmpty();
            localStack.disableKmsKey(REGION, key);
            ProbeReport report = stores.probe(store, LONG);
            assertThat(report.fault())
                    .hasValueSatisfying(fault -> assertThat(fault.reason())
                            .contains("KMS key " + key + " cannot be used: 400 KMS.DisabledException"));
            CloudMwException refused = catchThrowableOfType(
                    CloudMwException.class, () -> opened.put(Chunks.id(), Chunks.source(new byte[10])));
            assertThat(refused.code()).isEqualTo(ErrorCode.STORE_DENIED);
            assertThat(refused).hasMessageContaining("KMS.DisabledException");
        }
    }
}
