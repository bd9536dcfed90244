package io.cloudmw.it.s3;

import io.cloudmw.it.localstack.LocalStack;
import io.cloudmw.it.localstack.LocalStackExtension;
import java.net.URI;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract of S3 servers, on LocalStack. */
@ExtendWith(LocalStackExtension.class)
final class LocalStackS3IT extends S3ServerContract {
    private final LocalStack localStack;

    LocalStackS3IT(LocalStack localStack) {
        this.localStack = localStack;
    }

    @Override
    URI endpoint() {
        return localStack.endpoint();
    }

    @Override
    void createBucket(String name) {
        localStack.createBucket(name, S3Server.REGION);
    }

    @Override
    boolean checksSignatures() {
        return false;
    }

    @Override
    boolean takesChecksumTrailers() {
        return false;
    }

    @Override
    boolean confirmsEncryption() {
        return true;
    }

    @Override
    boolean checksRegions() {
        return false;
    }
}
