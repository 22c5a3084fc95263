import java.nio.file.Path;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.store.ByteBuffersDirectory;

/** Indexes a few thousand documents and searches them. */
public final class Search {
    private static final String[] WORDS =
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma".split(" ");

    private Search() {
    }

    public static void main(String[] args) throws Exception {
        ByteBuffersDirectory directory = new ByteBuffersDirectory();
        StandardAnalyzer analyzer = new StandardAnalyzer();
        try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(analyzer))) {
            for (int i = 0; i < 4_000; i++) {
                StringBuilder text = new StringBuilder();
                for (int w = 0, seed = i; w < 20; w++, seed = seed * 31 + 17) {
                    text.append(WORDS[Math.floorMod(seed, WORDS.length)]).append(' ');
                }
                Document document = new Document();
                document.add(new StringField("id", "d" + i, Field.Store.YES));
                document.add(new TextField("text", text.toString(), Field.Store.YES));
                document.add(new IntPoint("number", i));
                writer.addDocument(document);
                if (i % 1_000 == 999) {
                    writer.commit();
                }
            }
        }
        try (DirectoryReader reader = DirectoryReader.open(directory)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            QueryParser parser = new QueryParser("text", analyzer);
            for (String query : new String[] {"alpha AND beta", "\"gamma delta\"", "sig* -pi", "omicron~1", "id:d77"}) {
                TopDocs top = searcher.search(parser.parse(query), 5);
                System.out.println(query + ": " + top.totalHits);
                for (ScoreDoc hit : top.scoreDocs) {
                    System.out.println("  " + searcher.storedFields().document(hit.doc).get("id") + " " + hit.score);
                }
            }
            if (args.length > 0) {
                Quiet.point(Path.of(args[0]));
            }
        }
    }
}
