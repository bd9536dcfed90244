package io.cloudmw.core.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProviderChain;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.profiles.ProfileFile;

final class SdkErrorsTest {
    private static final StoreId STORE = new StoreId("east");
    private static final Store.S3 BUCKET = new Store.S3("photos", "eu-west-1", "", false, "");

    @Test
    void processWithoutCredentialsGetsARemedy() {
        ProfileCredentialsProvider none = ProfileCredentialsProvider.builder()
                .profileFile(ProfileFile.aggregator().build())
                .build();
        try (AwsCredentialsProviderChain chain = AwsCredentialsProviderChain.builder()
                .addCredentialsProvider(none)
                .build()) {
            SdkException raw = catchThrowableOfType(SdkException.class, chain::resolveCredentials);
            CloudMwException told = new SdkErrors(STORE, BUCKET).translate("read", raw);
            assertThat(told.code()).isEqualTo(ErrorCode.STORE_DENIED);
            assertThat(told)
                    .hasMessageStartingWith("read store=east bucket=photos: this process has no AWS credentials")
                    .hasMessageContaining("AWS_ACCESS_KEY_ID")
                    .hasMessageContaining("AWS_PROFILE")
                    .hasMessageNotContaining("Provider");
        }
    }
}
