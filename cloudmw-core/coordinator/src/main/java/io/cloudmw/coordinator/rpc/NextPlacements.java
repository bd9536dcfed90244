package io.cloudmw.coordinator.rpc;

import io.cloudmw.coordinator.upload.Uploads;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.proto.v1.PlaceChunksRequest;
import io.cloudmw.proto.v1.PlaceChunksResponse;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The placements that answers of other calls contain, so that a client's next put needs no call for one. */
final class NextPlacements {
    private static final Logger LOG = LoggerFactory.getLogger(NextPlacements.class);

    private final Uploads uploads;

    NextPlacements(Uploads uploads) {
        this.uploads = uploads;
    }

    /** Places chunks. A failure is left to the call by which the client places them then. */
    Optional<PlaceChunksResponse> of(PlaceChunksRequest request) {
        try {
            return Optional.of(CoordinatorService.placed(uploads, request));
        } catch (CloudMwException e) {
            LOG.debug("no placement for the next put: {}", e.getMessage());
            return Optional.empty();
        }
    }

    /** Returns for how long a placement can be kept: half of its token's life, and the upload has the other half. */
    long millis() {
        return uploads.tokenTtl().toMillis() / 2;
    }
}
