import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage;
import org.apache.spark.internal.io.FileNameSpec;
import org.apache.spark.internal.io.HadoopMapReduceCommitProtocol;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import scala.Option;
import scala.collection.immutable.Seq;

/**
 * A Spark job in local mode: {@code <directory of a volume>} writes a partitioned Parquet table there with the manifest
 * committer, appends to it, and reads it back. The first attempt of one task is interrupted while it writes. Exits with
 * 0 when everything is as expected.
 */
public final class SparkJob {
    private static final long ROWS = 200_000;
    private static final int PARTITIONS = 8;
    private static final int INTERRUPTED = 3;
    private static final int DAYS = 5;

    private SparkJob() {}

    /**
     * A commit protocol of Spark that uses the output committer of the path's scheme, as that of Spark's module for clouds
     * does. The committer is the manifest committer of Hadoop where the configuration names its factory.
     */
    public static final class ManifestCommitProtocol extends HadoopMapReduceCommitProtocol {
        private static final long serialVersionUID = 1L;

        /** The name under which the manifest committer looks for the id of a job. */
        private static final String JOB_UUID = "spark.sql.sources.writeJobUUID";

        private final String jobId;
        private final String path;
        private transient PathOutputCommitter committer;

        public ManifestCommitProtocol(String jobId, String path, boolean dynamicPartitionOverwrite) {
            super(jobId, path, dynamicPartitionOverwrite);
            this.jobId = jobId;
            this.path = path;
        }

        @Override
        public void setupJob(JobContext context) {
            super.setupJob(named(context));
        }

        @Override
        public void commitJob(JobContext context, Seq<TaskCommitMessage> taskCommits) {
            super.commitJob(named(context), taskCommits);
        }

        @Override
        public void abortJob(JobContext context) {
            super.abortJob(named(context));
        }

        @Override
        public void setupTask(TaskAttemptContext context) {
            super.setupTask(named(context));
        }

        /** Gives the committer one id for the job and its tasks, in place of those that Spark sets later. */
        private <C extends JobContext> C named(C context) {
            context.getConfiguration().set(JOB_UUID, jobId);
            return context;
        }

        @Override
        public OutputCommitter setupCommitter(TaskAttemptContext context) {
            try {
                Path target = new Path(path);
                committer = PathOutputCommitterFactory.getCommitterFactory(target, context.getConfiguration())
                        .createOutputCommitter(target, context);
                return committer;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public String newTaskTempFile(TaskAttemptContext context, Option<String> directory, FileNameSpec spec) {
            try {
                Path work = committer.getWorkPath();
                Path parent = directory.isDefined() ? new Path(work, directory.get()) : work;
                return new Path(parent, getFilename(context, spec)).toString();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }


    public static void main(String[] arguments) throws Exception {
        String table = arguments[0] + "/table";
        try (SparkSession spark = SparkSession.builder()
                .appName("cloudmw")
                .master("local[4,2]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", "4")
                .config("spark.sql.sources.commitProtocolClass", ManifestCommitProtocol.class.getName())
                .config(
                        "spark.hadoop.mapreduce.outputcommitter.factory.scheme.cloudmw",
                        "org.apache.hadoop.mapreduce.lib.output.committer.manifest.ManifestCommitterFactory")
                .config(
                        "spark.hadoop.mapreduce.manifest.committer.store.operations.classname",
                        "io.cloudmw.hadoop.VolumeManifestOperations")
                .getOrCreate()) {
            rows(spark, 0, true).write().partitionBy("day").parquet(table);
            require("rows", ROWS, spark.read().parquet(table).count());
            rows(spark, ROWS, false).write().mode(SaveMode.Append).partitionBy("day").parquet(table);

            Dataset<Row> all = spark.read().parquet(table);
            require("rows", 2 * ROWS, all.count());
            require("sum", sum(2 * ROWS), all.agg(org.apache.spark.sql.functions.sum("id")).first().getLong(0));
            require("rows of a day", 2 * ROWS / DAYS, all.where("day = 2").count());
            require("distinct texts", 2 * ROWS, all.select("text").distinct().count());
            checkFiles(spark, table);
        }
        System.out.println("done");
    }

    private static long sum(long rows) {
        return rows * (rows - 1) / 2;
    }

    /** Rows whose ids begin at a number; one task is interrupted in its first attempt, in the middle of its rows. */
    private static Dataset<Row> rows(SparkSession spark, long first, boolean interrupted) {
        MapPartitionsFunction<Long, Long> interrupting = ids -> new Iterator<>() {
            private long count;

            @Override
            public boolean hasNext() {
                return ids.hasNext();
            }

            @Override
            public Long next() {
                TaskContext task = TaskContext.get();
                if (interrupted
                        && task.partitionId() == INTERRUPTED
                        && task.attemptNumber() == 0
                        && ++count == ROWS / PARTITIONS / 2) {
                    System.out.println("interrupting a task");
                    Thread.currentThread().interrupt();
                }
                return ids.next();
            }
        };
        return spark.range(first, first + ROWS, 1, PARTITIONS)
                .as(Encoders.LONG())
                .mapPartitions(interrupting, Encoders.LONG())
                .selectExpr(
                        "value as id", "concat('row ', value, ' of the table') as text", "value % " + DAYS + " as day");
    }

    /** The committer has left its summary, and no temporary files. */
    private static void checkFiles(SparkSession spark, String table) throws Exception {
        Path root = new Path(table);
        FileSystem files = root.getFileSystem(spark.sparkContext().hadoopConfiguration());
        List<String> odd = new ArrayList<>();
        RemoteIterator<LocatedFileStatus> each = files.listFiles(root, true);
        while (each.hasNext()) {
            String name = each.next().getPath().toString();
            if (!name.endsWith(".parquet") && !name.endsWith("_SUCCESS")) {
                odd.add(name);
            }
        }
        require("other files", List.of(), odd);
        byte[] summary = new byte[(int) files.getFileStatus(new Path(root, "_SUCCESS")).getLen()];
        try (var stream = files.open(new Path(root, "_SUCCESS"))) {
            stream.readFully(0, summary);
        }
        require(
                "summary of the manifest committer",
                true,
                new String(summary, StandardCharsets.UTF_8).contains("ManifestCommitter"));
    }

    private static void require(String what, Object expected, Object actual) {
        if (!expected.equals(actual)) {
            throw new AssertionError(what + ": " + actual + " (expected: " + expected + ")");
        }
    }
}
