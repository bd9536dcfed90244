package io.cloudmw.it;

import io.cloudmw.core.model.Mode;
import org.junit.jupiter.api.Tag;

/** Tests of failing buckets in the mode of the paper. */
@Tag("full")
final class BucketsByRoundsIT extends BucketAccidents {
    BucketsByRoundsIT() {
        super(Mode.ROUNDS);
    }
}
