import java.util.Random;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;

/** Indexes documents in memory and searches them with Lucene; the argument is how many thousands. */
public final class Index {
    private Index() {
    }

    public static void main(String[] args) throws Exception {
        Random random = new Random(1);
        String[] words = new String[5000];
        for (int i = 0; i < words.length; i++) {
            words[i] = Integer.toString(random.nextInt(1 << 24), 36);
        }
        long checksum = 0;
        try (ByteBuffersDirectory directory = new ByteBuffersDirectory();
                IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(new StandardAnalyzer())
                        // In separate threads, merges would vary from run to run.
                        .setMergeScheduler(new SerialMergeScheduler()))) {
            int rounds = Integer.parseInt(args[0]);
            Progress progress = new Progress(rounds);
            for (int round = 0; round < rounds; round++) {
                for (int d = 0; d < 1000; d++) {
                    StringBuilder text = new StringBuilder();
                    for (int w = 0; w < 80; w++) {
                        text.append(words[(int) (words.length * Math.pow(random.nextDouble(), 3))]).append(' ');
                    }
                    Document document = new Document();
                    document.add(new StringField("id", round + "-" + d, Field.Store.YES));
                    document.add(new TextField("text", text.toString(), Field.Store.YES));
                    writer.addDocument(document);
                }
                writer.commit();
                try (DirectoryReader reader = DirectoryReader.open(directory)) {
                    IndexSearcher searcher = new IndexSearcher(reader);
                    for (int q = 0; q < 100; q++) {
                        BooleanQuery query = new BooleanQuery.Builder()
                                .add(new TermQuery(new Term("text", words[random.nextInt(200)])), BooleanClause.Occur.SHOULD)
                                .add(new TermQuery(new Term("text", words[random.nextInt(2000)])), BooleanClause.Occur.SHOULD)
                                .build();
                        checksum += searcher.search(query, 20).scoreDocs.length;
                    }
                }
                progress.done(round + 1);
            }
        }
        System.out.println(checksum);
    }
}
