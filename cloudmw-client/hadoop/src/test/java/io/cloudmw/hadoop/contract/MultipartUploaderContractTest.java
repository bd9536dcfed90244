package io.cloudmw.hadoop.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractMultipartUploaderTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Hadoop's suite over a volume. */
class MultipartUploaderContractTest extends AbstractContractMultipartUploaderTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
        return new VolumeContract(configuration);
    }

    @Override
    protected int partSizeInBytes() {
        return 1 << 10;
    }

    @Override
    protected boolean finalizeConsumesUploadIdImmediately() {
        return true;
    }

    @Override
    protected boolean supportsConcurrentUploadsToSamePath() {
        return true;
    }
}
