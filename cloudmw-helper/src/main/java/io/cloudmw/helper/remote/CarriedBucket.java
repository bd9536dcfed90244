package io.cloudmw.helper.remote;

import io.cloudmw.core.bulk.message.WriteTargets;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import java.util.List;
import java.util.Map;

/**
 * A bucket that this helper cannot use and that another helper, its carrier, writes with the rights of one transfer.
 * The store supports puts only. Holds no connection of its own.
 */
final class CarriedBucket extends RemoteStore {
    CarriedBucket(Store bucket, HelperAddress carrier, HelperConnections connections, RemoteRights rights) {
        super(
                bucket,
                carrier,
                new WriteTargets(List.of(bucket), List.of(carrier), Map.of(bucket.id(), carrier.id())),
                connections,
                rights);
    }

    @Override
    CloudMwException refused(String operation) {
        return new CloudMwException(
                ErrorCode.STORE_DENIED,
                operation + " store=" + store.id() + ": not supported through helper " + helper.id()
                        + " (expected: put)");
    }
}
