package io.cloudmw.it;

import io.cloudmw.core.model.Mode;
import org.junit.jupiter.api.Tag;

/** The accidents of buckets in the paper's mode. */
@Tag("full")
final class BucketsByRoundsIT extends BucketAccidents {
    BucketsByRoundsIT() {
        super(Mode.ROUNDS);
    }
}
