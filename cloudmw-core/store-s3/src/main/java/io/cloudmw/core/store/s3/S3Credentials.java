package io.cloudmw.core.store.s3;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.access.AccessKeys;
import io.cloudmw.core.access.CredentialsFile;
import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.error.CloudMwException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.auth.StsAssumeRoleCredentialsProvider;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/**
 * The resolver of references to credentials on this machine. Each is resolved once; changed profiles and files are
 * read again, and roles are assumed anew before their keys expire. Safe for any thread.
 */
final class S3Credentials implements AutoCloseable {
    /** The prefix of its failures, which {@link SdkErrors} looks for. */
    static final String UNABLE = "Unable to load credentials: ";

    private static final String SESSION = "cloudmw";

    private final AwsCredentialsProvider chain;
    private final SdkHttpClient http;
    private final ConcurrentHashMap<CredentialsKey, AwsCredentialsProvider> providers = new ConcurrentHashMap<>();

    /**
     * @param region where a role is assumed; empty for other references
     */
    private record CredentialsKey(CredentialsReference reference, String region) {}

    /**
     * @param chain the caller closes it
     * @param http for roles; the caller closes it
     */
    S3Credentials(AwsCredentialsProvider chain, SdkHttpClient http) {
        this.chain = chain;
        this.http = http;
    }

    /** @param region of the store */
    AwsCredentialsProvider of(CredentialsReference reference, String region) {
        if (reference.equals(CredentialsReference.chain())) {
            return chain;
        }
        String where = reference instanceof CredentialsReference.Role ? region : "";
        return providers.computeIfAbsent(new CredentialsKey(reference, where), this::provider);
    }

    private AwsCredentialsProvider provider(CredentialsKey place) {
        if (place.reference() instanceof CredentialsReference.Profile profile) {
            return new ProfileProvider(profile);
        }
        if (place.reference() instanceof CredentialsReference.KeyFile file) {
            CredentialsFile keys = new CredentialsFile(file.path());
            return () -> credentials(keys);
        }
        if (place.reference() instanceof CredentialsReference.Role role) {
            return new RoleProvider(
                    role,
                    StsClient.builder()
                            .httpClient(http)
                            .credentialsProvider(chain)
                            .region(Region.of(place.region()))
                            .build());
        }
        return chain;
    }

    private static AwsCredentials credentials(CredentialsFile file) {
        try {
            AccessKeys keys = file.keys();
            return keys.token().isPresent()
                    ? AwsSessionCredentials.create(
                            keys.id(), keys.secret(), keys.token().get())
                    : AwsBasicCredentials.create(keys.id(), keys.secret());
        } catch (CloudMwException e) {
            throw SdkClientException.create(UNABLE + e.getMessage(), e);
        }
    }

    /** The first sentence of the SDK's message, which prints its whole configuration behind it. */
    private static String message(RuntimeException e) {
        String message = String.valueOf(e.getMessage());
        int end = message.indexOf(": ProfileFile(");
        return end < 0 ? message : message.substring(0, end);
    }

    /**
     * The keys of a profile. A missing profile fails like any lack of credentials. The SDK's provider only watches
     * files that existed when it was made: after a failure the next use makes another, which finds newer files.
     */
    private static final class ProfileProvider implements AwsCredentialsProvider, SdkAutoCloseable {
        private final CredentialsReference.Profile profile;

        @GuardedBy("this")
        private @Nullable ProfileCredentialsProvider keys;

        ProfileProvider(CredentialsReference.Profile profile) {
            this.profile = profile;
        }

        @Override
        public AwsCredentials resolveCredentials() {
            try {
                return keys().resolveCredentials();
            } catch (SdkClientException | IllegalStateException | IllegalArgumentException e) {
                close();
                throw SdkClientException.create(UNABLE + profile.describe() + ": " + message(e), e);
            }
        }

        private synchronized ProfileCredentialsProvider keys() {
            ProfileCredentialsProvider known = keys;
            if (known == null) {
                known = ProfileCredentialsProvider.builder()
                        .profileName(profile.name())
                        .build();
                keys = known;
            }
            return known;
        }

        /** Closes the provider; the next use opens it again. */
        @Override
        public synchronized void close() {
            if (keys != null) {
                keys.close();
                keys = null;
            }
        }
    }

    /** The keys of a role. */
    private static final class RoleProvider implements AwsCredentialsProvider, SdkAutoCloseable {
        private final CredentialsReference.Role role;
        private final StsClient client;
        private final StsAssumeRoleCredentialsProvider keys;

        RoleProvider(CredentialsReference.Role role, StsClient client) {
            this.role = role;
            this.client = client;
            this.keys = StsAssumeRoleCredentialsProvider.builder()
                    .stsClient(client)
                    .refreshRequest(request -> {
                        request.roleArn(role.arn()).roleSessionName(SESSION);
                        if (!role.externalId().isEmpty()) {
                            request.externalId(role.externalId());
                        }
                    })
                    .build();
        }

        @Override
        public AwsCredentials resolveCredentials() {
            try {
                return keys.resolveCredentials();
            } catch (RuntimeException e) {
                throw SdkClientException.create(
                        UNABLE + role.describe() + " could not be assumed: " + e.getMessage(), e);
            }
        }

        @Override
        public void close() {
            keys.close();
            client.close();
        }
    }

    @Override
    public void close() {
        providers.values().forEach(provider -> {
            if (provider instanceof SdkAutoCloseable closeable) {
                closeable.close();
            }
        });
    }
}
