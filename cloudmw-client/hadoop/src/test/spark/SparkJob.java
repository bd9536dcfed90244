import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.parquet.hadoop.ParquetOutputCommitter;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A job of Spark: it writes a partitioned table, is cancelled while it reads it, and reads it again. It knows Hadoop and
 * Spark alone; the file system is found by its scheme.
 */
public final class SparkJob {
    private static final int ROWS = 20_000;
    private static final CountDownLatch READING = new CountDownLatch(2);
    private static final AtomicInteger INTERRUPTED = new AtomicInteger();

    private SparkJob() {}

    /** Spark's binding of a Parquet table to the committer of its scheme; Spark has it in a module of its own. */
    public static final class BoundCommitter extends ParquetOutputCommitter {
        private final PathOutputCommitter bound;

        public BoundCommitter(Path output, TaskAttemptContext context) throws IOException {
            super(output, context);
            bound = PathOutputCommitterFactory.createCommitter(output, context);
        }

        @Override
        public Path getWorkPath() throws IOException {
            return bound.getWorkPath();
        }

        @Override
        public void setupJob(JobContext context) throws IOException {
            bound.setupJob(context);
        }

        @Override
        public void setupTask(TaskAttemptContext context) throws IOException {
            bound.setupTask(context);
        }

        @Override
        public boolean needsTaskCommit(TaskAttemptContext context) throws IOException {
            return bound.needsTaskCommit(context);
        }

        @Override
        public void commitTask(TaskAttemptContext context) throws IOException {
            bound.commitTask(context);
        }

        @Override
        public void abortTask(TaskAttemptContext context) throws IOException {
            bound.abortTask(context);
        }

        @Override
        public void commitJob(JobContext context) throws IOException {
            bound.commitJob(context);
        }

        @Override
        public void abortJob(JobContext context, JobStatus.State state) throws IOException {
            bound.abortJob(context, state);
        }
    }

    public static void main(String[] arguments) throws Exception {
        String table = arguments[0];
        try (SparkSession spark = SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", false)
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", 2)
                .config("spark.sql.parquet.output.committer.class", BoundCommitter.class.getName())
                .config(
                        "spark.hadoop.mapreduce.outputcommitter.factory.scheme.cloudmw",
                        "org.apache.hadoop.mapreduce.lib.output.committer.manifest.ManifestCommitterFactory")
                .config(
                        "spark.hadoop.mapreduce.manifest.committer.store.operations.classname",
                        "io.cloudmw.hadoop.VolumeManifestOperations")
                .getOrCreate()) {
            spark.range(0, ROWS, 1, 4)
                    .selectExpr("id", "id % 4 as part", "cast(id as string) as text")
                    .write()
                    .option("spark.sql.sources.writeJobUUID", "00000000-0000-0000-0000-000000000001")
                    .partitionBy("part")
                    .parquet(table);
            cancelReaders(spark, table);
            Row sums = spark.read()
                    .parquet(table)
                    .where("part = 1")
                    .selectExpr("count(*)", "sum(id)", "max(length(text))")
                    .first();
            System.out.println("partition: " + sums);
            System.out.println("rows: " + spark.read().parquet(table).count());
            System.out.println("committer: " + success(table, spark.sparkContext().hadoopConfiguration()));
            System.out.println("interrupted: " + INTERRUPTED.get());
        }
    }

    /** Cancels a job whose two tasks read the table again and again, which interrupts their threads. */
    private static void cancelReaders(SparkSession spark, String table) throws Exception {
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        Thread cancelling = new Thread(() -> {
            try {
                if (READING.await(60, TimeUnit.SECONDS)) {
                    spark.sparkContext().cancelJobGroup("readers");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        cancelling.start();
        context.setJobGroup("readers", "read until they are interrupted", true);
        try {
            context.parallelize(List.of(1, 2), 2).foreach(task -> readUntilInterrupted(table));
            throw new IllegalStateException("the readers were not cancelled");
        } catch (Exception e) {
            System.out.println("cancelled: " + e.getClass().getSimpleName());
        }
        context.clearJobGroup();
        cancelling.join();
    }

    private static void readUntilInterrupted(String table) throws IOException {
        Path directory = new Path(table);
        FileSystem files = directory.getFileSystem(new Configuration());
        byte[] buffer = new byte[1024];
        try {
            while (true) {
                var listing = files.listFiles(directory, true);
                while (listing.hasNext()) {
                    try (FSDataInputStream in = files.open(listing.next().getPath())) {
                        while (in.read(buffer) >= 0) {
                            READING.countDown();
                        }
                    }
                }
            }
        } catch (FileNotFoundException e) {
            throw e;
        } catch (IOException e) {
            if (Thread.currentThread().isInterrupted()) {
                INTERRUPTED.incrementAndGet();
            }
            throw e;
        }
    }

    private static String success(String table, Configuration configuration) throws IOException {
        Path marker = new Path(table, "_SUCCESS");
        try (FSDataInputStream in = marker.getFileSystem(configuration).open(marker)) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.contains("manifest") ? "manifest" : "other: " + text;
        }
    }
}
