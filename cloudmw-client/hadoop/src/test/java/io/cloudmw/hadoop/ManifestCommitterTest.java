package io.cloudmw.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.hadoop.mapreduce.lib.output.committer.manifest.ManifestCommitter;
import org.apache.hadoop.mapreduce.lib.output.committer.manifest.ManifestCommitterConstants;
import org.apache.hadoop.mapreduce.lib.output.committer.manifest.ManifestCommitterFactory;
import org.apache.hadoop.mapreduce.lib.output.committer.manifest.files.FileEntry;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hadoop's manifest committer over volumes. */
final class ManifestCommitterTest {
    private final URI root =
            URI.create("cloudmw://files@" + HadoopCluster.shared().coordinatorAddress() + "/");
    private final Path output = new Path(root.resolve("/output"));
    private final Configuration configuration = new Configuration();
    private FileSystem files;

    @BeforeEach
    void open() throws IOException {
        configuration.set("mapreduce.outputcommitter.factory.scheme.cloudmw", ManifestCommitterFactory.class.getName());
        configuration.set(
                ManifestCommitterConstants.OPT_STORE_OPERATIONS_CLASS, VolumeManifestOperations.class.getName());
        files = FileSystem.newInstance(root, configuration);
    }

    @AfterEach
    void close() throws IOException {
        files.delete(new Path("/"), true);
        files.close();
    }

    private void write(Path path, String content) throws IOException {
        try (FSDataOutputStream out = files.create(path)) {
            out.writeBytes(content);
        }
    }

    private static TaskAttemptContext attempt(Configuration configuration, int task) {
        TaskAttemptID id = new TaskAttemptID(new TaskID(new JobID("2026", 1), TaskType.MAP, task), 0);
        configuration.set("mapreduce.task.attempt.id", id.toString());
        return new TaskAttemptContextImpl(configuration, id);
    }

    @Test
    void jobOfTwoTasksIsCommitted() throws IOException {
        TaskAttemptContext job = attempt(new Configuration(configuration), 0);
        PathOutputCommitter ofJob = PathOutputCommitterFactory.createCommitter(output, job);
        assertThat(ofJob).isInstanceOf(ManifestCommitter.class);
        ofJob.setupJob(job);
        for (int task = 0; task < 2; task++) {
            TaskAttemptContext context = attempt(new Configuration(configuration), task);
            PathOutputCommitter committer = PathOutputCommitterFactory.createCommitter(output, context);
            committer.setupTask(context);
            write(new Path(committer.getWorkPath(), "day=" + task + "/part-" + task), "task " + task);
            assertThat(committer.needsTaskCommit(context)).isTrue();
            committer.commitTask(context);
        }
        assertThat(files.exists(new Path(output, "day=1/part-1"))).isFalse();
        ofJob.commitJob(job);
        assertThat(files.getFileStatus(new Path(output, "day=0/part-0")).getLen())
                .isEqualTo(6);
        assertThat(files.getFileStatus(new Path(output, "day=1/part-1")).getLen())
                .isEqualTo(6);
        assertThat(files.exists(new Path(output, "_SUCCESS"))).isTrue();
        assertThat(files.exists(new Path(output, "_temporary"))).isFalse();
    }

    @Test
    void renameWhoseAnswerWasLostIsRecognizedByItsEtag() throws IOException {
        Path from = new Path(root.resolve("/from"));
        Path to = new Path(root.resolve("/to"));
        write(from, "1");
        String etag = ((EtagSource) files.getFileStatus(from)).getEtag();
        FileEntry entry = new FileEntry(from, to, 1, etag);
        try (VolumeManifestOperations operations = new VolumeManifestOperations()) {
            operations.bindToFileSystem(files, from);
            assertThat(operations.storeSupportsResilientCommit()).isTrue();
            assertThat(operations.commitFile(entry).recovered()).isFalse();
            assertThat(operations.commitFile(entry).recovered()).isTrue();
            write(from, "2");
            assertThatThrownBy(() -> operations.commitFile(
                            new FileEntry(from, to, 1, ((EtagSource) files.getFileStatus(from)).getEtag())))
                    .isInstanceOf(PathIOException.class)
                    .hasMessageContaining("another file is there");
            files.delete(from, false);
            files.delete(to, false);
            assertThatThrownBy(() -> operations.commitFile(entry)).isInstanceOf(FileNotFoundException.class);
            write(from, "3");
            assertThat(files.mkdirs(to)).isTrue();
            assertThatThrownBy(() -> operations.commitFile(entry))
                    .isInstanceOf(PathIOException.class)
                    .hasMessageContaining("cannot replace a directory");
            assertThat(files.listStatus(to)).isEmpty();
        }
    }
}
