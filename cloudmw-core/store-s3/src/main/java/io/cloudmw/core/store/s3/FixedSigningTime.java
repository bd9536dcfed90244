package io.cloudmw.core.store.s3;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import software.amazon.awssdk.core.SdkPlugin;
import software.amazon.awssdk.core.SdkServiceClientConfiguration;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.services.s3.S3ServiceClientConfiguration;
import software.amazon.awssdk.services.s3.auth.scheme.S3AuthSchemeProvider;

/**
 * A plugin that signs a request, and its retries, with a time read before. S3 refuses signatures older than 15
 * minutes, so it refuses this request too if it was held up anywhere. Immutable.
 */
final class FixedSigningTime implements SdkPlugin {
    private final Clock clock;

    FixedSigningTime(long millis) {
        this.clock = Clock.fixed(Instant.ofEpochMilli(millis), ZoneOffset.UTC);
    }

    @Override
    public void configureClient(SdkServiceClientConfiguration.Builder config) {
        S3ServiceClientConfiguration.Builder s3 = (S3ServiceClientConfiguration.Builder) config;
        S3AuthSchemeProvider before = s3.authSchemeProvider();
        s3.authSchemeProvider(request -> before.resolveAuthScheme(request).stream()
                .map(scheme -> scheme.toBuilder()
                        .putSignerProperty(HttpSigner.SIGNING_CLOCK, clock)
                        .build())
                .toList());
    }
}
