package io.cloudmw.hadoop.contract;

import io.cloudmw.hadoop.volume.BulkRemoval;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractBulkDeleteTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Hadoop's suite over a volume. */
class BulkDeleteContractTest extends AbstractContractBulkDeleteTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
        return new VolumeContract(configuration);
    }

    @Override
    protected int getExpectedPageSize() {
        return BulkRemoval.PAGE;
    }
}
